"""Which definitions one kernel computes.

A product or a window of an image begins a group. Elementwise work and reductions join the group of what they
read, and so does the second product of attention: one whose left operand is made of rows of another product.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set

from mmk.onnx.definitions import Definition, Kind, Value, base
from mmk.onnx.graph import Graph

MOST_DEFINITIONS = 60  # of one kernel, so that it stays readable


class Group:
    """Definitions in the order of the model."""

    def __init__(self) -> None:
        self.definitions: List[Definition] = []

    def has(self, *kinds: Kind) -> bool:
        return any(each.kind in kinds for each in self.definitions)


class Plan:
    """The groups of a graph, and the reshapes between them, in an order in which they can run."""

    def __init__(self, graph: Graph, alone: Set[int]):
        self._graph = graph
        self._alone = alone  # definitions, by id, that are groups of their own
        self._readers: Dict[int, List[Definition]] = {}  # of a value, by its id
        self._groups: Dict[int, Group] = {}  # by definition
        self.used: List[Definition] = []
        self._find_used()
        self._find_written()
        for definition in self.used:
            for read in definition.reads:
                self._readers.setdefault(id(base(read)), []).append(definition)
        for definition in self.used:
            if not definition.is_transparent and definition.kind != Kind.RESHAPE:
                self._place(definition)
        self.steps: List[object] = []  # Group, or a Definition that is a reshape
        self._order()

    def _find_used(self) -> None:
        """Definitions from which an output follows."""
        wanted: Set[int] = set()
        open_values = list(self._graph.outputs)
        while open_values:
            definition = open_values.pop().definition
            if definition and id(definition) not in wanted:
                wanted.add(id(definition))
                open_values += definition.reads
        self.used = [each for each in self._graph.definitions if id(each) in wanted]

    def _find_written(self) -> None:
        """Moves and reshapes whose results something needs in memory: an output, or a reshape."""
        in_memory = {id(value) for value in self._graph.outputs}
        in_memory |= {id(read) for each in self.used if each.limit for read in each.reads}
        for definition in self.used[::-1]:
            definition.is_written = False
            is_needed = id(definition.results[0].value) in in_memory
            if definition.kind == Kind.RESHAPE and (definition.mapping is None or is_needed):
                definition.is_written = True
                in_memory.add(id(definition.source))
            elif definition.kind == Kind.MOVE and is_needed:
                definition.is_written = True

    def group_of(self, value: Value) -> Optional[Group]:
        definition = base(value).definition
        return self._groups.get(id(definition)) if definition else None

    def readers(self, value: Value) -> List[Definition]:
        return self._readers.get(id(value), [])

    def is_read_outside(self, group: Group, value: Value) -> bool:
        return any(value is base(output) for output in self._graph.outputs) or any(
            self._groups.get(id(reader)) is not group for reader in self.readers(value)
            if not reader.is_transparent)

    def _place(self, definition: Definition) -> None:
        """Puts a definition into the group of what it reads, joining groups that only it reads; or a new one."""
        producers: List[Group] = []
        for read in definition.reads:
            group = self.group_of(read)
            if group and group not in producers and not self._is_alone(definition, group):
                producers.append(group)
        home = Group()
        for group in sorted(producers, key=lambda each: -each.definitions[-1].node.place):
            fits = _may_join(definition, group) if not home.definitions else self._may_merge(definition, home, group)
            if fits and (not home.definitions or self._is_read_by_alone(group, definition)) \
                    and not self._is_between([home, group], definition) \
                    and not _is_measured([*home.definitions, *group.definitions, definition]):
                home = self._merge(home, group)
        home.definitions.append(definition)
        self._groups[id(definition)] = home

    def _is_alone(self, definition: Definition, group: Group) -> bool:
        return any(id(each) in self._alone for each in (definition, group.definitions[0]))

    def _may_merge(self, definition: Definition, home: Group, group: Group) -> bool:
        anchors = (Kind.PRODUCT, Kind.WINDOW)
        return _may_join(definition, group) and not (home.has(*anchors) and group.has(*anchors)) \
            and not group.has(Kind.WINDOW) and not home.has(Kind.WINDOW)

    def _is_read_by_alone(self, group: Group, definition: Definition) -> bool:
        return all(reader is definition or self._groups.get(id(reader)) is group
                   for each in group.definitions for result in each.results
                   for reader in self.readers(result.value) if not reader.is_transparent)

    def _is_between(self, inside: Sequence[Group], definition: Definition) -> bool:
        """Whether something else reads one of the groups, and is read by one of them or by the definition."""
        members = [definition, *(each for group in inside for each in group.definitions)]
        outside = [source for each in members for source in self._sources(each)
                   if self._groups.get(id(source)) not in inside]
        seen: Set[int] = set()
        while outside:
            each = outside.pop()
            if id(each) in seen:
                continue
            seen.add(id(each))
            own = self._groups.get(id(each))
            for member in own.definitions if own else [each]:
                for source in self._sources(member):
                    if self._groups.get(id(source)) in inside:
                        return True
                    outside.append(source)
        return False

    def _merge(self, home: Group, group: Group) -> Group:
        merged = Group()
        merged.definitions = sorted([*home.definitions, *group.definitions], key=lambda each: each.node.place)
        for each in merged.definitions:
            self._groups[id(each)] = merged
        return merged

    @staticmethod
    def _sources(definition: Definition) -> List[Definition]:
        found = [base(read).definition for read in definition.reads]
        return [each for each in found if each]

    def _order(self) -> None:
        done: Set[int] = set()

        def visit(step) -> None:
            if id(step) in done:
                return
            done.add(id(step))
            for member in step.definitions if isinstance(step, Group) else [step]:
                for source in self._sources(member):
                    other = self._groups.get(id(source), source)
                    if other is not step:
                        visit(other)
            self.steps.append(step)

        for definition in self.used:
            if not definition.is_transparent:
                visit(self._groups.get(id(definition), definition))


def _may_join(definition: Definition, group: Group) -> bool:
    """Whether a definition that reads a group may be computed with it."""
    if any(each.is_closed for each in group.definitions) or len(group.definitions) >= MOST_DEFINITIONS:
        return False
    reads = [base(read) for read in definition.reads]
    if definition.kind in (Kind.ELEMENTWISE, Kind.MOVE):
        return True
    if definition.kind == Kind.ROWS:
        return not group.has(Kind.WINDOW)
    return definition.kind == Kind.PRODUCT and _is_attention(definition, group, reads)


def _is_measured(definitions: Sequence[Definition]) -> bool:
    """Whether a limit is of values that these compute: the driver measures what is in memory."""
    return any(base(read).definition in definitions for each in definitions if each.limit for read in each.reads)


def _is_attention(definition: Definition, group: Group, reads: Sequence[Value]) -> bool:
    products = [each for each in group.definitions if each.kind == Kind.PRODUCT]
    left = reads[0].definition
    operators = {each.node.operator for each in group.definitions}
    return len(products) == 1 and left in group.definitions and not group.has(Kind.WINDOW) \
        and bool(operators & {"Softmax", "Exp"}) \
        and all(read.definition not in group.definitions for read in reads[1:])
