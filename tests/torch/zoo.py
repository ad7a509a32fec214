"""
Every estimator of GluonTS for PyTorch, tiny, with data to train it on.

Each trains in less than a second, and each call of ``make`` gives a fresh one.
What it is not told goes to Lightning:

    estimator = CASES["DeepAR"].make(epochs=5, learning_rate=0.01)
    data, labels = dataset(CASES["DeepAR"].data, rate=0.05)
    predictor = estimator.train(data)
"""

from typing import Any, Callable

from gluonts.model import Estimator
from gluonts.time_feature import hour_of_day
from gluonts.torch.distributions import (
    NegativeBinomialOutput,
    NormalOutput,
    QuantileOutput,
)
from gluonts.torch.model.d_linear import DLinearEstimator
from gluonts.torch.model.deep_npts import DeepNPTSEstimator
from gluonts.torch.model.deepar import DeepAREstimator
from gluonts.torch.model.i_transformer import ITransformerEstimator
from gluonts.torch.model.lag_tst import LagTSTEstimator
from gluonts.torch.model.patch_tst import PatchTSTEstimator
from gluonts.torch.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.torch.model.tft import TemporalFusionTransformerEstimator
from gluonts.torch.model.tide import TiDEEstimator
from gluonts.torch.model.wavenet import WaveNetEstimator

from tests.series import CONTEXT, FREQ, Case

try:  # GluonTS 0.16 needs a package for it that nobody has
    from gluonts.torch.model.mqf2 import MQF2MultiHorizonEstimator
except ImportError:
    MQF2MultiHorizonEstimator = None

QUIET = {
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "logger": False,
}


def maker(
    estimator: Callable[..., Estimator], **settings: Any
) -> Callable[..., Estimator]:
    """Make the estimator with these settings, and a quiet trainer."""

    def make(
        epochs: int = 2,
        prediction_length: int = 3,
        learning_rate: float = 1e-3,
        num_batches_per_epoch: int = 4,
        **trainer_kwargs: Any,
    ) -> Estimator:
        return estimator(
            prediction_length=prediction_length,
            lr=learning_rate,
            num_batches_per_epoch=num_batches_per_epoch,
            trainer_kwargs={"max_epochs": epochs, **QUIET, **trainer_kwargs},
            **settings,
        )

    return make


def deep_npts(trainer_kwargs: dict, **settings: Any) -> DeepNPTSEstimator:
    """DeepNPTS, which has a training loop of its own."""
    return DeepNPTSEstimator(epochs=trainer_kwargs["max_epochs"], **settings)


SMALL = {"context_length": CONTEXT, "batch_size": 8}
RNN = {
    "freq": FREQ,
    "num_layers": 1,
    "hidden_size": 6,
    "lags_seq": [1, 2, 24],
    "time_features": [hour_of_day],
}
ATTENTION = {
    "d_model": 8,
    "nhead": 2,
    "dim_feedforward": 8,
    "num_encoder_layers": 1,
}
TFT = {
    "freq": FREQ,
    "hidden_dim": 4,
    "variable_dim": 4,
    "num_heads": 2,
    "time_features": [hour_of_day],
}

CASES: dict[str, Case] = {
    "SimpleFeedForward": Case(
        maker(SimpleFeedForwardEstimator, hidden_dimensions=[8], **SMALL),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "SimpleFeedForwardGaussian": Case(
        maker(
            SimpleFeedForwardEstimator,
            hidden_dimensions=[8],
            distr_output=NormalOutput(),
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "SimpleFeedForwardQuantiles": Case(
        maker(
            SimpleFeedForwardEstimator,
            hidden_dimensions=[8],
            distr_output=QuantileOutput([0.1, 0.5, 0.9]),
            **SMALL,
        ),
        "univariate",
        "quantiles",
        has_observed=True,
    ),
    "DeepAR": Case(
        maker(DeepAREstimator, **RNN, **SMALL),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "DLinear": Case(
        maker(DLinearEstimator, hidden_dimension=4, kernel_size=5, **SMALL),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "PatchTST": Case(
        maker(PatchTSTEstimator, patch_len=4, stride=4, **ATTENTION, **SMALL),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "LagTST": Case(
        maker(
            LagTSTEstimator,
            freq=FREQ,
            lags_seq=[1, 2, 24],
            **ATTENTION,
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "TiDE": Case(
        maker(
            TiDEEstimator,
            freq=FREQ,
            feat_proj_hidden_dim=4,
            encoder_hidden_dim=8,
            decoder_hidden_dim=8,
            temporal_hidden_dim=8,
            distr_hidden_dim=4,
            decoder_output_dim=4,
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "TFT": Case(
        maker(TemporalFusionTransformerEstimator, **TFT, **SMALL),
        "univariate",
        "quantiles",
        has_observed=True,
    ),
    "TFTDistribution": Case(
        maker(
            TemporalFusionTransformerEstimator,
            distr_output=NormalOutput(),
            **TFT,
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "ITransformer": Case(
        maker(ITransformerEstimator, **ATTENTION, **SMALL),
        "multivariate",
        "samples",
        has_observed=True,
    ),
    "WaveNet": Case(
        maker(
            WaveNetEstimator,
            freq=FREQ,
            num_bins=256,
            num_residual_channels=4,
            num_skip_channels=4,
            dilation_depth=4,
            time_features=[hour_of_day],
            negative_data=True,
            batch_size=8,
        ),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "DeepNPTS": Case(
        maker(deep_npts, freq=FREQ, num_hidden_nodes=[8], **SMALL),
        "univariate",
        "samples",
        has_observed=True,
    ),
}

if MQF2MultiHorizonEstimator is not None:
    CASES["MQF2"] = Case(
        maker(
            MQF2MultiHorizonEstimator,
            icnn_hidden_size=4,
            icnn_num_layers=1,
            es_num_samples=5,
            **RNN,
            **SMALL,
        ),
        "univariate",
        "samples",
        has_observed=True,
    )

COUNTS = maker(
    DeepAREstimator, distr_output=NegativeBinomialOutput(), **RNN, **SMALL
)

FEATURES = maker(
    DeepAREstimator,
    num_feat_static_cat=1,
    cardinality=[2],
    num_feat_static_real=1,
    num_feat_dynamic_real=1,
    dropout_rate=0.0,
    context_length=CONTEXT,
    batch_size=16,
    **{**RNN, "hidden_size": 12, "lags_seq": [1, 2]},
)
