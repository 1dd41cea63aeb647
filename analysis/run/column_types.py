"""Check the columns of recorded tables against their declarations, since a run may be foreign."""

import pyarrow as pa

from memopolis.sim.recording.schema import Column, TableSchema, is_status


def find_problem(table: str, schema: pa.Schema, declared: TableSchema) -> str:
    """Describe the first column of a part that is missing or of a wrong type; "" if there is none.

    A column may have a narrower type than declared. The attributes of agents, and columns that are
    not declared, may be numbers, flags or texts.
    """
    for name, column in declared.columns.items():
        if name not in schema.names:
            if not declared.static:
                return f"its column {name} is missing"
        elif not _fits(schema.field(name).type, column, exact=not declared.static):
            return f"its column {name} is of type {schema.field(name).type}, not {column.type}"
    if len(set(schema.names)) < len(schema.names):
        return "two of its columns have the same name"
    for field in schema if is_status(table) else ():
        if field.name not in declared.columns and not _is_plain(field.type):
            return f"its column {field.name} is of type {field.type}, not a number, flag or text"
    return ""


def _fits(actual: pa.DataType, column: Column, *, exact: bool) -> bool:
    """Whether a type is of the declared kind and, if `exact`, not wider."""
    if column.type == "text":
        return _is_text(actual)
    if column.type.startswith("list of "):
        return bool(pa.types.is_list(actual) and pa.types.is_integer(actual.value_type))
    declared = pa.type_for_alias(column.type)
    if pa.types.is_boolean(declared):
        return bool(pa.types.is_boolean(actual))
    if pa.types.is_floating(declared) and pa.types.is_floating(actual):
        return True
    return bool(
        pa.types.is_integer(actual) and (not exact or actual.bit_width <= declared.bit_width)
    )


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_plain(kind: pa.DataType) -> bool:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return bool(is_number or pa.types.is_boolean(kind) or _is_text(kind))
