"""Many runs: designs, sweeps, sensitivity, replicates, calibration."""

from memopolis.analysis.calibration.design import CalibrationDesign
from memopolis.analysis.calibration.report import Calibration
from memopolis.analysis.calibration.sampler import calibrate
from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.analysis.sweep.sensitivity import Sensitivity, sensitivity
from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.calibration import Calibrated, calibrated
from memopolis.sim.replicate import replicate
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.factors import Range

__all__ = [
    "Calibrated",
    "Calibration",
    "CalibrationDesign",
    "Design",
    "Range",
    "Sensitivity",
    "SweepResults",
    "calibrate",
    "calibrated",
    "load_sweep",
    "replicate",
    "sensitivity",
    "sweep",
]
