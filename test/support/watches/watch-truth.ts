/** What watchers must have been told, computed from nothing but the sequence of states. */
import { expect } from 'vitest';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { LogEntry } from '../../../shared/ports/store/change-log.ts';
import { entriesOf } from '../stores/log-entries.ts';
import type { Reflector, Session } from './reflector.ts';
import { RESOURCE, type Stores } from './watch-world.ts';

interface Selector {
  readonly query: string;
  readonly matches: (object: ApiObject) => boolean;
}

export const SELECTORS: readonly Selector[] = [
  { query: '', matches: () => true },
  { query: 'labelSelector=tier%3Dweb', matches: ({ metadata }) => metadata.labels?.['tier'] === 'web' },
  {
    query: 'fieldSelector=metadata.name!%3Da&labelSelector=tier!%3Dweb',
    matches: ({ metadata }) => metadata.name !== 'a' && metadata.labels?.['tier'] !== 'web',
  },
];

export const truthOf = ({ objects }: Stores): Promise<readonly LogEntry[]> => entriesOf(objects, RESOURCE);

const stateAt = (truth: readonly LogEntry[], revision: number): ReadonlyMap<string, ApiObject> => {
  const state = new Map<string, ApiObject>();
  for (const entry of truth) {
    if (entry.revision > revision) break;
    if (entry.type === 'DELETED') state.delete(entry.key.name);
    else state.set(entry.key.name, entry.object);
  }
  return state;
};

const matching = (state: ReadonlyMap<string, ApiObject>, { matches }: Selector): readonly ApiObject[] =>
  [...state.values()].filter(matches).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const told = (before: ApiObject | undefined, after: ApiObject | undefined, { matches }: Selector) => {
  const [was, is] = [before && matches(before), after && matches(after)];
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after };
  return was ? { type: 'DELETED', object: before } : undefined;
};

/** What a watcher from `revision` on must be told, computed from nothing but the sequence of states. */
const expectedAfter = (truth: readonly LogEntry[], revision: number, selector: Selector) =>
  truth.flatMap((entry, index) => {
    if (entry.revision <= revision) return [];
    const before = stateAt(truth.slice(0, index), entry.revision).get(entry.key.name);
    const after = entry.type === 'DELETED' ? undefined : entry.object;
    const event = told(before, after, selector);
    if (!event) return [];
    const metadata = { ...event.object?.metadata, resourceVersion: String(entry.revision) };
    return [{ type: event.type, object: { ...event.object, metadata } }];
  });

// Items of a list have no kind of their own.
const withoutKind = ({ kind: _kind, apiVersion: _version, ...rest }: ApiObject) => rest;

const checkSession = (truth: readonly LogEntry[], session: Session, selector: Selector): void => {
  const { listed, listedAt, events } = session;
  expect(listed.map(withoutKind)).toEqual(matching(stateAt(truth, listedAt), selector).map(withoutKind));
  expect(events).toEqual(expectedAfter(truth, listedAt, selector).slice(0, events.length));
};

export interface Watcher {
  readonly reflector: Reflector;
  readonly selector: Selector;
}

export const checkWatcher = (truth: readonly LogEntry[], { reflector, selector }: Watcher): void => {
  for (const session of reflector.sessions) checkSession(truth, session, selector);
  const last = reflector.sessions.at(-1);
  expect(last?.events).toHaveLength(expectedAfter(truth, last?.listedAt ?? 0, selector).length);
  const stored = [...reflector.store.values()].toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  expect(stored.map(withoutKind)).toEqual(
    matching(stateAt(truth, Number.POSITIVE_INFINITY), selector).map(withoutKind),
  );
};
