"""A process between two others: it passes bytes on, later than it got them, or from a signal on never.

`python -m telar.sabotage.proxy LISTEN TARGET DELAY_SECONDS`; SIGUSR1 makes it hang.
"""

from __future__ import annotations

import asyncio
import signal
import sys


class Proxy:
    def __init__(self, target: int, delay: float) -> None:
        self._target, self._delay = target, delay
        self._open = asyncio.Event()
        self._open.set()

    async def serve(self, port: int) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._open.clear)
        async with await asyncio.start_server(self._connection, "127.0.0.1", port) as server:
            await server.serve_forever()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(self._copy(reader, back, self._delay), self._copy(there, writer, 0.0))

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, delay: float) -> None:
        try:
            while data := await source.read(65536):
                await asyncio.sleep(delay)
                await self._open.wait()
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass  # one side is gone: so is the other
        finally:
            sink.close()


if __name__ == "__main__":
    listen, target, delay = sys.argv[1:]
    asyncio.run(Proxy(int(target), float(delay)).serve(int(listen)))
