/** A process that sends beats to a host or to a bare server, as fast as answers come. Called with the folder of the host. */
import type { Connection } from '../../fleet/connection.ts';
import { openConnections, portOf } from '../beats.ts';
import { type BeatKind, type NodeBeats, nodeBeats } from './beat-requests.ts';

/** What the parent sends. Without a port: to the host. */
export interface ClientMessage {
  readonly kind: BeatKind;
  readonly port?: number;
  /** The kind over whose connections they go; default their own. */
  readonly over?: BeatKind;
  readonly ms: number;
  /** Answers that it waits for, however long that takes; default none. */
  readonly atLeast?: number;
}

/** What it answers. */
export interface ClientReport {
  readonly answers: number;
  readonly bytes: number;
  /** The last answer. */
  readonly sample: string;
}

const CONNECTIONS = 32;
/** Each connection has so many nodes of its own, so that no two requests of one node are in flight. */
const NODES_OF_EACH = 32;

const [, , folder = ''] = process.argv;
const connections = new Map<string, Promise<readonly Connection[]>>();
const fleets = new Map<BeatKind, Promise<readonly NodeBeats[]>>();

/** A host reads a connection otherwise when it has sent a beat of a node: each kind has its own. */
const connectionsTo = (port: number, kind: BeatKind): Promise<readonly Connection[]> => {
  const key = `${port} ${kind}`;
  const known = connections.get(key) ?? openConnections(folder, CONNECTIONS, port);
  connections.set(key, known);
  return known;
};

const prepare = async (kind: BeatKind): Promise<readonly NodeBeats[]> => {
  const fleet = await nodeBeats(folder, CONNECTIONS * NODES_OF_EACH, kind);
  const open = await connectionsTo(portOf(folder), kind);
  const begin = async ({ exchange }: Connection, place: number): Promise<void> => {
    for (const { first, answered } of fleet.slice(place * NODES_OF_EACH, (place + 1) * NODES_OF_EACH))
      if (first) answered(await exchange(first));
  };
  await Promise.all(open.map(begin));
  return fleet;
};

const fleetOf = (kind: BeatKind): Promise<readonly NodeBeats[]> => {
  const known = fleets.get(kind) ?? prepare(kind);
  fleets.set(kind, known);
  return known;
};

const run = async ({ kind, port, over = kind, ms, atLeast = 0 }: ClientMessage): Promise<ClientReport> => {
  const fleet = await fleetOf(kind);
  const target = port ?? portOf(folder);
  const open = await connectionsTo(target, over);
  const until = performance.now() + ms;
  let [answers, bytes, sample] = [0, 0, ''];
  const work = async ({ exchange }: Connection, place: number): Promise<void> => {
    for (let turn = 0; performance.now() < until || answers < atLeast; turn += 1) {
      const node = fleet[place * NODES_OF_EACH + (turn % NODES_OF_EACH)] as NodeBeats;
      const answer = await exchange(node.next());
      if (port === undefined) node.answered(answer);
      answers += 1;
      bytes += Buffer.byteLength(answer);
      sample = answer;
    }
  };
  await Promise.all(open.map(work));
  return { answers, bytes, sample };
};

process.on('message', (message: ClientMessage) => {
  void run(message).then((report) => process.send?.(report));
});
