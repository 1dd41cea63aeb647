"""The server: tools, a prompt, and one-line errors."""

import os
import tomllib
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import ValidationError

from memopolis import __version__
from memopolis.mcp_server.across_tools import AcrossTools
from memopolis.mcp_server.arguments import MaxKb
from memopolis.mcp_server.citizen_tools import CitizenTools
from memopolis.mcp_server.memory_tools import MemoryTools
from memopolis.mcp_server.open_runs import OpenRuns
from memopolis.mcp_server.own_memory import OwnMemory
from memopolis.mcp_server.own_memory_tools import OwnMemoryTools
from memopolis.mcp_server.paging import USUAL_KB, Answer, compact, cut, is_text
from memopolis.mcp_server.run_tools import RunTools
from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.mcp_server.tables import URI, columns
from memopolis.mcp_server.unreadable import Readable
from memopolis.sim.errors import MemopolisError, did_you_mean

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

_LONGEST_ERROR = 1_500  # maximum characters of an error, which may quote the argument


def make_server(
    place: str | Path, *, write: bool = False, mind: Mapping[str, object] | None = None
) -> MCPServer:
    """Create a server of runs for clients of the Model Context Protocol.

    Returns the server; `run()` serves it over standard input and output. Raises RunFolderError if
    the folder does not exist.

    Args:
        place: Folder of a run, or of runs and sweeps; nothing else is read.
        write: Whether to offer tools that create runs in the folder.
        mind: Settings of the mind that answers interviews, such as {"mind": "llm",
            "llm.model": "small"}; None for the rule mind.
    """
    runs = OpenRuns(RunsFolder(Path(place)), mind or {})
    root = runs.folder.root
    server = _new_server("runs")
    about, citizens = RunTools(runs), CitizenTools(runs)
    memories, across = MemoryTools(runs), AcrossTools(runs)
    reading: list[Callable[..., object]] = [
        about.list_runs, about.describe_run, about.read_table, about.read_measures,
        citizens.list_citizens, citizens.citizen_life,
        memories.search_memory, memories.context_search, memories.assess_knowledge,
        memories.knowledge_map, memories.review_list, memories.interview,
        across.compare_runs, across.query_sql,
    ]  # fmt: skip
    for tool in reading:
        _add(server, root, tool, writes=False)
    if write:
        from memopolis.mcp_server.making_tools import MakingTools

        making = MakingTools(runs)
        for made in (making.run_scenario, making.fork_run, making.repeat_run):
            _add(server, root, made, writes=True)
    server.prompt()(ask_a_citizen)
    server.resource(URI, mime_type="text/markdown")(columns)
    return server


def make_memory_server(folder: str | Path) -> MCPServer:
    """Create a server of an assistant's own memory, which `run()` serves over standard input.

    The folder is created if it does not exist; several servers may share it. Raises RunFolderError
    if it cannot be used, or contains other files or a broken memory.
    """
    own = OwnMemory(Path(folder))
    server, tools = _new_server("memory"), OwnMemoryTools(own)
    reading: list[Callable[..., object]] = [
        tools.list_memories, tools.assess_knowledge, tools.knowledge_map, tools.review_list,
        tools.describe_memory,
    ]  # fmt: skip
    writing: list[Callable[..., object]] = [
        tools.store_memory, tools.store_thought, tools.read_memories, tools.search_memory,
        tools.context_search, tools.recommend_memories, tools.related_memories,
    ]  # fmt: skip
    for tool in reading:
        _add(server, own.folder, tool, writes=False)
    for tool in writing:
        _add(server, own.folder, tool, writes=True)
    for tool in (tools.update_memory, tools.forget_memories):
        _add(server, own.folder, tool, writes=True, destructive=True)
    return server


def ask_a_citizen(question: str, run: str = "", agent: str = "") -> str:
    """Interview a citizen and explain which memories the answer is based on."""
    whom = f"agent {agent}" if agent else "a citizen chosen with list_citizens for this question"
    where = f"run {run!r}" if run else "the run from list_runs"
    return (
        f"Ask {whom} of {where}: {question}\n\n"
        "Look at citizen_life first, then use interview, and search_memory for what the answer "
        "leaves open. Give the answer in the citizen's own words, name the memories it is based on "
        "with their dates, and say plainly what the citizen does not remember."
    )


class _Server(MCPServer):
    """A server that reports wrong arguments in one line and sends answers as compact JSON."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: "Context[Any, Any] | None" = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises ToolError if the tool does not exist, has other arguments, or fails.
        """
        tool = self._tool_manager.get_tool(name)
        if not is_text([name, arguments]):
            raise ToolError("a text in the request contains a lone surrogate")
        if tool is not None:
            _check_names(name, arguments, list(tool.parameters.get("properties", {})))
        try:
            answer = await super().call_tool(name, arguments, context)
        except ToolError as error:
            wrong = error.__cause__
            if not isinstance(wrong, ValidationError):
                raise
            raise ToolError(f"{name}: {_describe(wrong)}") from None
        if isinstance(answer, CallToolResult) and answer.structured_content is not None:
            answer.content = [TextContent(text=compact(answer.structured_content))]
        return answer

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: "Context[Any, Any] | None" = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt.

        Raises MCPError if the prompt does not exist, or an argument is missing; nothing is logged.
        """
        prompts = {prompt.name: prompt for prompt in self._prompt_manager.list_prompts()}
        if name not in prompts:
            raise MCPError(
                INVALID_PARAMS, f"there is no prompt {name[:80]!r}; there is {', '.join(prompts)}"
            )
        needed = [one.name for one in prompts[name].arguments or () if one.required]
        missing = [one for one in needed if one not in (arguments or {})]
        if missing:
            raise MCPError(
                INVALID_PARAMS, f"{name} needs the argument {', '.join(missing)}, a text"
            )
        return await super().get_prompt(name, arguments, context)

    async def run_stdio_async(self) -> None:
        """Serve one client, and also answer requests that cannot be read."""
        server = self._lowlevel_server
        async with stdio_server() as (read, write):
            await server.run(Readable(read, write), write, server.create_initialization_options())


def _new_server(kind: str) -> _Server:
    file = Path(__file__).with_name("instructions.toml")
    instructions = tomllib.loads(file.read_text(encoding="utf-8"))[kind]
    return _Server(
        "memopolis",
        title="Memopolis",
        instructions=instructions,
        version=__version__,
        log_level="WARNING",
    )


def _add(
    server: MCPServer,
    root: Path,
    tool: Callable[..., object],
    *,
    writes: bool,
    destructive: bool = False,
) -> None:
    """Add a tool to a server, with the argument `max_kb` if its answer may be long."""
    server.add_tool(
        _with_plain_errors(_limited(tool), root),
        description=cleandoc(tool.__doc__ or ""),
        annotations=ToolAnnotations(
            read_only_hint=not writes, destructive_hint=destructive, open_world_hint=False
        ),
    )


def _limited(tool: Callable[..., object]) -> Callable[..., object]:
    """Wrap a tool so that its answer has at most 8 kB, or what the argument `max_kb` allows."""
    declared = signature(tool, eval_str=True)
    if not issubclass(declared.return_annotation, Answer):
        return tool
    limit = Parameter("max_kb", Parameter.KEYWORD_ONLY, default=USUAL_KB, annotation=MaxKb)

    @wraps(tool)
    def call(*args: object, max_kb: int, **kwargs: object) -> object:
        answer = tool(*args, **kwargs)
        return answer.within(max_kb * 1000) if isinstance(answer, Answer) else answer

    parameters = [*declared.parameters.values(), limit]
    call.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _with_plain_errors(tool: Callable[..., object], root: Path) -> Callable[..., object]:
    """Wrap a tool so that expected errors reach the client, without local paths."""

    @wraps(tool)
    def call(*args: object, **kwargs: object) -> object:
        try:
            return tool(*args, **kwargs)
        except MemopolisError as error:
            raise ToolError(_one_line(str(error), root)) from None
        except OSError as error:
            raise ToolError(f"a file cannot be read: {error.strerror}") from None
        except MemoryError:
            raise ToolError("out of memory; request less data") from None

    return call


def _one_line(message: str, root: Path) -> str:
    short = message.replace(f"{root}{os.sep}", "").replace(str(root), root.name)
    return cut(" ".join(short.split()), _LONGEST_ERROR)


def _check_names(tool: str, arguments: Mapping[str, object], known: list[str]) -> None:
    for name in arguments:
        if name not in known:
            near = did_you_mean(name[:80], known)
            raise ToolError(
                f"{tool} has no argument {name[:80]!r}; {near}it takes {', '.join(known)}"
            )


def _describe(error: ValidationError) -> str:
    lines = []
    for one in error.errors(include_url=False, include_context=False)[:5]:
        where = ".".join(map(str, one["loc"]))
        received = "" if one["type"] == "missing" else f", given {str(one['input'])[:80]!r}"
        lines.append(f"{where}: {one['msg'][:1].lower()}{one['msg'][1:]}{received}")
    return "; ".join(lines)
