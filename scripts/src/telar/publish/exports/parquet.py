"""Every point as a row of a Parquet file, for DuckDB, pandas, Spark."""

from __future__ import annotations

import io
from collections.abc import Sequence

import msgspec

from telar.publish.exports.csv_table import COLUMNS
from telar.store.points import Point


def files(points: Sequence[Point]) -> dict[str, bytes]:
    # Here, since it takes half a second to load and one command needs it.
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    types = {
        "time": pa.float64(),
        "value": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
        "runs": pa.int32(),
    }
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    rows = [dict(zip(COLUMNS, msgspec.structs.astuple(p), strict=True)) for p in points]
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), out, compression="zstd")
    return {"points.parquet": out.getvalue()}
