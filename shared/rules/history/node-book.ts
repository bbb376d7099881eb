/** The nodes of a history: their state at its beginning, and their changes since. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { FleetRecord, RecordedChange } from './record.ts';
import type { SeenNode } from './seen-node.ts';

/** Nodes by name with their facts. */
export type NamedNodes = readonly (readonly [name: string, seen: SeenNode])[];

/** Names and states that nothing refers to are dropped when there are more of them than of the others, and more than this. */
const MOST_UNUSED = 1_000;
const GONE = -1;

/** The parts of a record that are about nodes. */
export type NodeParts = Pick<FleetRecord, 'nodes' | 'states' | 'base' | 'changes'>;

interface Numbers<T> {
  readonly members: readonly T[];
  readonly of: (member: T) => number;
}

/** Gives each different member a number. */
const createNumbers = <T>(keyOf: (member: T) => string): Numbers<T> => {
  const members: T[] = [];
  const numbers = new Map<string, number>();
  const add = (key: string, member: T): number => {
    numbers.set(key, members.length);
    return members.push(member) - 1;
  };
  return {
    members,
    of: (member) => {
      const key = keyOf(member);
      return numbers.get(key) ?? add(key, member);
    },
  };
};

const newNodes = () => createNumbers<string>((name) => name);
const newStates = () => createNumbers<SeenNode>((seen) => JSON.stringify(seen));

/** The same history without names and states that it does not mention. */
export const compacted = ({ nodes, states, base, changes }: NodeParts): NodeParts => {
  const [names, kinds] = [newNodes(), newStates()];
  const stateOf = (state: number): number => {
    const seen = states[state];
    return seen ? kinds.of(seen) : GONE;
  };
  const begun = base.flatMap((state, node) => (state === GONE ? [] : [{ name: nodes[node] ?? '', state }]));
  const first = begun.map(({ name, state }) => [names.of(name), stateOf(state)] as const);
  const moved = changes.map(({ at, node, state }) => ({
    at,
    node: names.of(nodes[node] ?? ''),
    state: stateOf(state),
  }));
  const bases = names.members.map(() => GONE);
  for (const [node, state] of first) bases[node] = state;
  return { nodes: names.members, states: kinds.members, base: bases, changes: moved };
};

const endsOf = ({ nodes, base, changes }: NodeParts): number[] => {
  const ends = nodes.map((_, node) => base[node] ?? GONE);
  for (const { node, state } of changes) ends[node] = state;
  return ends;
};

/** The nodes of a history that is being written. */
export class NodeBook {
  #nodes = newNodes();
  #states = newStates();
  #base: number[] = [];
  #changes: RecordedChange[] = [];
  /** The newest state of each node. */
  #ends: number[] = [];

  get size(): number {
    return this.#changes.length;
  }

  /** Whether there has never been a node. */
  get isEmpty(): boolean {
    return this.#nodes.members.length === 0;
  }

  /** The nodes that are there before the first change. */
  start(nodes: NamedNodes): void {
    for (const [name, seen] of nodes) {
      const node = this.#nodes.of(name);
      this.#base[node] = this.#ends[node] = this.#states.of(seen);
    }
  }

  /** A node from `at` on; `seen` absent: it is gone. Nothing if that is known. */
  put(at: EpochMs, name: string, seen: SeenNode | undefined): void {
    const node = this.#nodes.of(name);
    const state = seen ? this.#states.of(seen) : GONE;
    if ((this.#ends[node] ?? GONE) === state) return;
    this.#ends[node] = state;
    this.#changes.push({ at, node, state });
  }

  /** All nodes from `at` on. */
  replace(at: EpochMs, nodes: NamedNodes): void {
    const there = new Set(nodes.map(([name]) => name));
    for (const [name, seen] of nodes) this.put(at, name, seen);
    for (const name of [...this.#nodes.members]) if (!there.has(name)) this.put(at, name, undefined);
  }

  /** The instant of the last of those changes that are more than `most`; 0: there are not more. */
  lastBeyond(most: number): EpochMs {
    return this.#changes[this.#changes.length - most - 1]?.at ?? 0;
  }

  /** Lets the history begin at `at`: changes up to then become part of the state that it begins with. */
  beginAt(at: EpochMs): void {
    const kept = this.#changes.findIndex((change) => change.at > at);
    const end = kept < 0 ? this.#changes.length : kept;
    for (const { node, state } of this.#changes.splice(0, end)) this.#base[node] = state;
    this.#dropUnused();
  }

  parts(): NodeParts {
    const base = this.#nodes.members.map((_, node) => this.#base[node] ?? GONE);
    return {
      nodes: [...this.#nodes.members],
      states: [...this.#states.members],
      base,
      changes: [...this.#changes],
    };
  }

  #dropUnused(): void {
    const gone = this.#nodes.members.filter((_, node) => (this.#ends[node] ?? GONE) === GONE).length;
    if (gone < MOST_UNUSED || gone < this.#nodes.members.length / 2) return;
    const { nodes, states, base, changes } = compacted(this.parts());
    [this.#nodes, this.#states] = [newNodes(), newStates()];
    for (const name of nodes) this.#nodes.of(name);
    for (const seen of states) this.#states.of(seen);
    this.#base = [...base];
    this.#changes = [...changes];
    this.#ends = endsOf({ nodes, states, base, changes });
  }
}
