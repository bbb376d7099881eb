/** All Nodes, read by one client page by page. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../fleet/connection.ts';
import type { Target } from './control-plane.ts';
import { pageOfNodes } from './objects.ts';

/** Who uses the API, over which connections. */
export interface Client {
  readonly target: Target;
  readonly connections: readonly Connection[];
}

const CONTINUE = /"continue":\s*"([^"]+)"/;
/** The token of the next page stands before the items. */
const BEGINNING = 4_096;

/** Calls `onPage` with each page and its milliseconds, until it returns `false`. `accept` is a media type. */
export const readNodes = async (
  { connections: [connection], target }: Client,
  accept: string,
  onPage: (page: string, ms: number) => boolean,
): Promise<void> => {
  let [more, goesOn] = ['', true];
  do {
    const startedAt = performance.now();
    const page = (await connection?.exchange(pageOfNodes(more, accept, target.token))) ?? '';
    goesOn = onPage(page, performance.now() - startedAt);
    more = CONTINUE.exec(page.slice(0, BEGINNING))?.[1] ?? '';
  } while (goesOn && more !== '');
};

const TAINT = 'node.kubernetes.io/not-ready';
const LOOK_MS = 1_000;

/** Waits until no Node has the taint with which it was created. */
export const untilUntainted = async (client: Client): Promise<void> => {
  for (let isTainted = true; isTainted; ) {
    isTainted = false;
    await readNodes(client, 'application/json', (page) => {
      isTainted = page.includes(TAINT);
      return !isTainted;
    });
    if (isTainted) await wait(LOOK_MS);
  }
};
