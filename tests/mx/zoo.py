"""
Every estimator of GluonTS for MXNet, tiny, with data to train it on.

Those in ``CASES`` train in less than a second, those in ``BROKEN`` are the
ones that GluonTS itself cannot train. Each call of ``make`` gives a fresh one,
with a trainer of its own; what it is not told goes to the trainer:

    estimator = CASES["DeepAR"].make(epochs=5, learning_rate=0.01)
    data, labels = dataset(CASES["DeepAR"].data, rate=0.05)
    predictor = estimator.train(data)
"""

from typing import Any, Callable

from gluonts.model import Estimator
from gluonts.mx.distribution import GaussianOutput, NegativeBinomialOutput
from gluonts.mx.model.canonical._estimator import (
    CanonicalRNNEstimator,
    MLPForecasterEstimator,
)
from gluonts.mx.model.deep_factor import DeepFactorEstimator
from gluonts.mx.model.deepar import DeepAREstimator
from gluonts.mx.model.deepstate import DeepStateEstimator
from gluonts.mx.model.deepstate.issm import LevelISSM
from gluonts.mx.model.deepvar import DeepVAREstimator
from gluonts.mx.model.deepvar_hierarchical import DeepVARHierarchicalEstimator
from gluonts.mx.model.gp_forecaster import GaussianProcessEstimator
from gluonts.mx.model.gpvar import GPVAREstimator
from gluonts.mx.model.lstnet import LSTNetEstimator
from gluonts.mx.model.n_beats import NBEATSEnsembleEstimator, NBEATSEstimator
from gluonts.mx.model.renewal import DeepRenewalProcessEstimator
from gluonts.mx.model.seq2seq import MQCNNEstimator, MQRNNEstimator
from gluonts.mx.model.seq2seq._seq2seq_estimator import (
    CNN2QRForecaster,
    MLP2QRForecaster,
    RNN2QRForecaster,
)
from gluonts.mx.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.mx.model.tft import TemporalFusionTransformerEstimator
from gluonts.mx.model.tpp.deeptpp import DeepTPPEstimator
from gluonts.mx.model.transformer import TransformerEstimator
from gluonts.mx.model.wavenet import WaveNetEstimator
from gluonts.mx.trainer import Trainer
from gluonts.time_feature import hour_of_day

from tests.series import CONTEXT, FREQ, NUM_DIMS, SUMMING, Case


def maker(
    estimator: Callable[..., Estimator], **settings: Any
) -> Callable[..., Estimator]:
    """Make the estimator with these settings, and a trainer of its own."""

    def make(
        epochs: int = 2, prediction_length: int = 3, **trainer_kwargs: Any
    ) -> Estimator:
        trainer = Trainer(
            epochs=epochs,
            **{
                "num_batches_per_epoch": 4,
                "hybridize": False,
                **trainer_kwargs,
            },
        )
        return estimator(
            prediction_length=prediction_length, trainer=trainer, **settings
        )

    return make


SMALL = {"context_length": CONTEXT, "batch_size": 8}
RNN = {"num_layers": 1, "num_cells": 6}
LAGS = {"lags_seq": [1, 2, 24], "time_features": [hour_of_day]}
NBEATS = {
    "num_stacks": 2,
    "widths": [8],
    "num_block_layers": [2],
    "expansion_coefficient_lengths": [4],
}
QUANTILES = {"quantiles": [0.1, 0.5, 0.9]}
CNN = {
    "channels_seq": [4, 4],
    "dilation_seq": [1, 3],
    "kernel_size_seq": [3, 3],
    "decoder_mlp_dim_seq": [6],
}

CASES: dict[str, Case] = {
    "SimpleFeedForward": Case(
        maker(SimpleFeedForwardEstimator, num_hidden_dimensions=[8], **SMALL),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "SimpleFeedForwardGaussian": Case(
        maker(
            SimpleFeedForwardEstimator,
            num_hidden_dimensions=[8],
            sampling=False,
            distr_output=GaussianOutput(),
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "DeepAR": Case(
        maker(DeepAREstimator, freq=FREQ, **RNN, **LAGS, **SMALL),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "DeepState": Case(
        maker(
            DeepStateEstimator,
            freq=FREQ,
            past_length=CONTEXT,
            cardinality=[1],
            use_feat_static_cat=False,
            issm=LevelISSM(),
            time_features=[hour_of_day],
            batch_size=8,
            **RNN,
        ),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "DeepVAR": Case(
        maker(
            DeepVAREstimator,
            freq=FREQ,
            target_dim=NUM_DIMS,
            rank=1,
            **RNN,
            **LAGS,
            **SMALL,
        ),
        "multivariate",
        "samples",
        has_observed=True,
    ),
    "DeepVARHierarchical": Case(
        maker(
            DeepVARHierarchicalEstimator,
            freq=FREQ,
            S=SUMMING,
            num_samples_for_loss=20,
            **RNN,
            **LAGS,
            **SMALL,
        ),
        "hierarchical",
        "samples",
        has_observed=True,
    ),
    "GPVAR": Case(
        maker(
            GPVAREstimator,
            freq=FREQ,
            target_dim=NUM_DIMS,
            rank=1,
            **RNN,
            **LAGS,
            **SMALL,
        ),
        "multivariate",
        "samples",
        has_observed=True,
    ),
    "Transformer": Case(
        maker(
            TransformerEstimator,
            freq=FREQ,
            model_dim=8,
            num_heads=2,
            inner_ff_dim_scale=2,
            embedding_dimension=2,
            **LAGS,
            **SMALL,
        ),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "WaveNet": Case(
        maker(
            WaveNetEstimator,
            freq=FREQ,
            num_bins=256,
            n_residue=4,
            n_skip=4,
            dilation_depth=4,
            negative_data=True,
            num_parallel_samples=100,
            batch_size=8,
        ),
        "univariate",
        "samples",
        has_observed=True,
    ),
    "MQCNN": Case(
        maker(MQCNNEstimator, freq=FREQ, **CNN, **QUANTILES, **SMALL),
        "univariate",
        "quantiles",
        has_observed=True,
    ),
    "MQRNN": Case(
        maker(
            MQRNNEstimator,
            freq=FREQ,
            decoder_mlp_dim_seq=[6],
            **QUANTILES,
            **SMALL,
        ),
        "univariate",
        "quantiles",
        has_observed=True,
    ),
    "MQCNNDistribution": Case(
        maker(
            MQCNNEstimator,
            freq=FREQ,
            distr_output=GaussianOutput(),
            scaling=False,
            **CNN,
            **SMALL,
        ),
        "univariate",
        "distribution",
        has_observed=True,
    ),
    "TFT": Case(
        maker(
            TemporalFusionTransformerEstimator,
            freq=FREQ,
            hidden_dim=4,
            num_heads=2,
            time_features=[hour_of_day],
            **SMALL,
        ),
        "univariate",
        "quantiles",
        has_observed=True,
    ),
    "NBEATS": Case(
        maker(NBEATSEstimator, freq=FREQ, **NBEATS, **SMALL),
        "univariate",
        "points",
        has_observed=True,
    ),
    "NBEATSEnsemble": Case(
        maker(
            NBEATSEnsembleEstimator,
            freq=FREQ,
            meta_context_length=[CONTEXT],
            meta_loss_function=["MAPE", "sMAPE"],
            meta_bagging_size=1,
            batch_size=8,
            **NBEATS,
        ),
        "univariate",
        "points",
        has_observed=True,
    ),
    "LSTNet": Case(
        maker(
            LSTNetEstimator,
            num_series=NUM_DIMS,
            skip_size=2,
            ar_window=4,
            channels=4,
            kernel_size=3,
            rnn_num_cells=4,
            rnn_num_layers=1,
            skip_rnn_num_cells=2,
            **SMALL,
        ),
        "multivariate",
        "points",
        has_observed=True,
    ),
    "DeepFactor": Case(
        maker(
            DeepFactorEstimator,
            freq=FREQ,
            num_hidden_global=6,
            num_factors=2,
            embedding_dimension=2,
            **SMALL,
        ),
        "univariate",
        "samples",
        has_observed=False,
    ),
    "GaussianProcess": Case(
        maker(
            GaussianProcessEstimator,
            freq=FREQ,
            cardinality=1,
            time_features=[hour_of_day],
            **SMALL,
        ),
        "univariate",
        "samples",
        has_observed=False,
    ),
    "CanonicalRNN": Case(
        maker(
            CanonicalRNNEstimator,
            freq=FREQ,
            context_length=CONTEXT,
            num_cells=6,
            embedding_dimension=2,
        ),
        "univariate",
        "samples",
        has_observed=False,
    ),
    "MLPForecaster": Case(
        maker(
            MLPForecasterEstimator,
            freq=FREQ,
            context_length=CONTEXT,
            hidden_dim_sequence=[6],
            embedding_dimension=2,
        ),
        "univariate",
        "samples",
        has_observed=False,
    ),
    # Its first step ahead is always zero: GluonTS draws the time to the next
    # demand with > where >= is meant.
    "DeepRenewalProcess": Case(
        maker(DeepRenewalProcessEstimator, **RNN, **SMALL),
        "counts",
        "samples",
        has_observed=True,
    ),
}

COUNTS = maker(
    DeepAREstimator,
    freq=FREQ,
    distr_output=NegativeBinomialOutput(),
    **RNN,
    **LAGS,
    **SMALL,
)

FEATURES = maker(
    DeepAREstimator,
    freq=FREQ,
    num_layers=1,
    num_cells=12,
    dropout_rate=0.0,
    use_feat_static_cat=True,
    cardinality=[2],
    use_feat_static_real=True,
    use_feat_dynamic_real=True,
    context_length=CONTEXT,
    batch_size=16,
    **{**LAGS, "lags_seq": [1, 2]},
)

SEQ2QR = {
    "freq": FREQ,
    "context_length": CONTEXT,
    "cardinality": [1],
    "embedding_dimension": 2,
    "decoder_mlp_layer": [6],
    "decoder_mlp_static_dim": 2,
}


def deep_tpp(prediction_length: int, trainer: Trainer) -> DeepTPPEstimator:
    """DeepTPP, whose time does not come in steps."""
    return DeepTPPEstimator(
        prediction_interval_length=float(prediction_length),
        context_interval_length=float(CONTEXT),
        num_marks=2,
        freq=FREQ,
        trainer=trainer,
        batch_size=8,
    )


BROKEN: dict[str, Callable[..., Estimator]] = {
    "RNN2QR": maker(
        RNN2QRForecaster,
        encoder_rnn_layer=1,
        encoder_rnn_num_hidden=6,
        **SEQ2QR,
    ),
    "MLP2QR": maker(MLP2QRForecaster, encoder_mlp_layer=[6], **SEQ2QR),
    "CNN2QR": maker(CNN2QRForecaster, **SEQ2QR),
    "DeepTPP": maker(deep_tpp),
}
