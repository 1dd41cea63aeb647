"""Errors that Memopolis raises; all derive from `MemopolisError`."""

from memopolis.sim.errors import (
    AnswerError,
    BlockError,
    DataFileError,
    ExtraError,
    MemopolisError,
    ParameterError,
    ReplicationError,
    RunFolderError,
    SchemaError,
    ServerError,
    SettingsError,
    StateError,
    TrustError,
    UnknownNameError,
)

__all__ = [
    "AnswerError",
    "BlockError",
    "DataFileError",
    "ExtraError",
    "MemopolisError",
    "ParameterError",
    "ReplicationError",
    "RunFolderError",
    "SchemaError",
    "ServerError",
    "SettingsError",
    "StateError",
    "TrustError",
    "UnknownNameError",
]
