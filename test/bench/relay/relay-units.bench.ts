/** What batches of a relay consume of DynamoDB, and what a pass reads of nodes behind relays. */
import { callUsage } from '../../../cli/cost/beats.ts';
import { BATCH, BATCH_INTERVAL_SECONDS, MONTH_SECONDS } from '../../../cli/cost/measured.ts';
import { LIST_PRICES } from '../../../cli/cost/prices.ts';
import { listDollars } from '../../../cli/cost/usage.ts';
import { readFleet } from '../../../lambdas/node-monitor/judge/read-fleet.ts';
import { createHeartbeatServer } from '../../../shared/apiserver/heartbeat-server.ts';
import type { Serve } from '../../../shared/apiserver/serve.ts';
import { MOST_IN_PART } from '../../../shared/rules/relays/relay-items.ts';
import { nodeToken, relayToken, serverDeps } from '../api/servers.ts';
import { type DynamoBench, onDynamoDb } from '../dynamodb/dynamodb.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';
import { storeFleet } from '../fleet/stored-fleet.ts';

const NODES = 10_000;
const PARTS = NODES / MOST_IN_PART;
/** Tokens that a relay shows at once. */
const ENROLLED = 40;
const PATH = '/apis/rollcall.dev/v1/heartbeats';
const MOST_DOLLARS = 0.01;
/** Read units of a pass over 10,000 nodes behind relays. */
const MOST_UNITS = 60;

const namesOf = (part: number): readonly string[] =>
  Array.from({ length: MOST_IN_PART }, (_, index) => nodeName(part * MOST_IN_PART + index));

type Send = (part: number, sequence: number, more: object) => Promise<{ readonly workChanges: number }>;

const sender = (serve: Serve, token: string): Send => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (part, sequence, more) => {
    const nodes = namesOf(part).map((name, index) => ({ name, uid: uidOf(name), ageMs: 37 * index }));
    const text = JSON.stringify({ relay: 'site', part, sequence, nodes, ...more });
    const query = new URLSearchParams();
    const answer = await serve({ method: 'POST', path: PATH, query, headers, body: Buffer.from(text) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${String(answer.body)}`);
    return JSON.parse(String(answer.body));
  };
};

/** All nodes of a part show their tokens. Returns the sequence after it. */
const join = async (send: Send, part: number): Promise<number> => {
  const names = namesOf(part);
  let sequence = 0;
  for (let from = 0; from < names.length; from += ENROLLED) {
    const shown = names.slice(from, from + ENROLLED);
    const enrol = await Promise.all(
      shown.map(async (name) => ({ name, token: await nodeToken(name, uidOf(name)) })),
    );
    sequence += 1;
    await send(part, sequence, { enrol });
  }
  return sequence;
};

interface Units {
  readonly writeUnits: number;
  readonly readUnits: number;
}

const unitFigures = (name: string, { writeUnits, readUnits }: Units): readonly Figure[] => [
  { name, unit: 'WRU', value: writeUnits },
  { name, unit: 'RRU', value: readUnits },
];

/** Dollars of a node for a month. */
const dollars = (plain: Units, asking: Units): number => {
  const costOf = ({ writeUnits: writes, readUnits: reads }: Units): number =>
    listDollars(callUsage({ seconds: BATCH.seconds, writes, reads }), LIST_PRICES);
  const perSecond =
    costOf(plain) / BATCH_INTERVAL_SECONDS + (costOf(asking) - costOf(plain)) / BATCH.memberSeconds;
  return (perSecond * MONTH_SECONDS) / MOST_IN_PART;
};

const batchFigures = async (
  { meter }: DynamoBench,
  send: Send,
  joined: number,
): Promise<readonly Figure[]> => {
  const { workChanges } = await send(0, joined + 1, {});
  meter.take();
  await send(0, joined + 2, { workChanges });
  const plain = meter.take();
  await send(0, joined + 3, {});
  const asking = meter.take();
  return [
    ...unitFigures(`batch of ${MOST_IN_PART} nodes`, plain),
    ...unitFigures('batch that asks for the work of all, each five minutes', asking),
    {
      name: 'a node behind a relay',
      unit: '$ a month',
      value: dollars(plain, asking),
      target: { atMost: MOST_DOLLARS },
      note: 'units as measured, a request of 20 ms',
    },
  ];
};

const passFigure = async ({ stores, meter }: DynamoBench): Promise<Figure> => {
  meter.take();
  const { nodes } = await readFleet(stores, Date.now());
  if (nodes.length !== NODES) throw new Error('the fleet is not complete');
  const { readUnits, requests } = meter.take();
  const name = `reads of a pass over ${NODES} nodes behind relays`;
  return {
    name,
    unit: 'RRU',
    value: readUnits,
    target: { atMost: MOST_UNITS },
    note: `${requests} requests`,
  };
};

/** The units of DynamoDB of a site with 10,000 machines. */
export const relayUnits: Bench = () =>
  onDynamoDb(async (bench) => {
    await storeFleet(bench.stores, NODES, { images: 0 });
    const send = sender(createHeartbeatServer(serverDeps(bench.stores)), await relayToken('site'));
    const joined = await join(send, 0);
    const batches = await batchFigures(bench, send, joined);
    for (let part = 1; part < PARTS; part += 1) await join(send, part);
    return [...batches, await passFigure(bench)];
  });
