/** The nodes of a relay, and in which part each of them is. */
import { MOST_IN_PART } from '../shared/rules/relays/relay-items.ts';
import type { SiteNode } from './site-node.ts';

/** `homes`: in which part each node was before a restart, by name. Its place there may still be its own. */
export const createMembers = (homes: Map<string, number>) => {
  const nodes = new Map<string, SiteNode>();
  const parts = new Map<number, Set<string>>();
  /** The parts of the nodes that are not on the roster yet. To look through all nodes several times a second would cost too much. */
  const waiting = new Map<string, number>();

  const namesIn = (part: number): Set<string> => {
    const names = parts.get(part) ?? new Set();
    parts.set(part, names);
    return names;
  };
  for (const [name, part] of homes) namesIn(part).add(name);

  const settle = (name: string, part: number): void => {
    const before = homes.get(name);
    if (before === part) return;
    if (before !== undefined) namesIn(before).delete(name);
    homes.set(name, part);
    namesIn(part).add(name);
  };
  const firstFree = (from: number): number => {
    let part = from;
    while (namesIn(part).size >= MOST_IN_PART) part += 1;
    return part;
  };

  return {
    get: (name: string): SiteNode | undefined => nodes.get(name),
    put: (node: SiteNode): void => {
      nodes.set(node.name, node);
      if (node.isEnrolled) waiting.delete(node.name);
      else waiting.set(node.name, node.part);
      settle(node.name, node.part);
    },
    /** Forgets the node and gives its place away, unless it is another Node of that name. */
    forget: (name: string, uid: string | undefined): void => {
      const node = nodes.get(name);
      if (!node || (uid !== undefined && node.uid !== uid)) return;
      nodes.delete(name);
      waiting.delete(name);
      homes.delete(name);
      namesIn(node.part).delete(name);
    },
    /** The parts with nodes that wait to be enrolled. */
    waiting: (): ReadonlySet<number> => new Set(waiting.values()),
    inPart: (part: number): readonly SiteNode[] =>
      [...namesIn(part)].flatMap((name) => nodes.get(name) ?? []),
    homeOf: (name: string): number => homes.get(name) ?? firstFree(0),
    firstFree,
  };
};

/** See `createMembers`. */
export type Members = ReturnType<typeof createMembers>;
