/**
 * Runs in processes of its own, with the heap of a host that has so many nodes. `store` fills the folder: nodes and rosters go straight into the store, because
 * a million creates through the API would take half an hour. `run` is a host's share of the work: batches through the route of the API at the pace of
 * the relays, and passes of the monitor meanwhile. It prints a `MillionReport`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createTurns } from '../../../../host/folder/turns.ts';
import { keepingPlaces, runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { openSqliteState, type SqliteState } from '../../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../../shared/adapters/system/clock.ts';
import { createVerifiedTokens } from '../../../../shared/apiserver/contract/verified-tokens.ts';
import { createHeartbeatServer } from '../../../../shared/apiserver/heartbeat-server.ts';
import type { Clock } from '../../../../shared/ports/process/clock.ts';
import { MOST_IN_PART } from '../../../../shared/rules/relays/relay-items.ts';
import { relayToken, serverDeps } from '../../api/servers.ts';
import { cpuMs, longestTurnOf, threadCpuMs } from '../../bodies/turns.ts';
import { nodeName, uidOf } from '../../fleet/fleet.ts';
import { monitorDeps } from '../monitor-deps.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import { ageAt, isPlainAt, PARTS_OF_RELAY, partsFor, relayName } from './relayed-parts.ts';

export interface MillionReport {
  /** Milliseconds until the folder was open. */
  readonly openMs: number;
  readonly passMs: readonly number[];
  /** Processor milliseconds of the thread in each pass, without those of the batches that came meanwhile. */
  readonly passCpuMs: readonly number[];
  /** Processor milliseconds of the longest turn of the event loop in each pass, with the batches that came meanwhile. */
  readonly turnsMs: readonly number[];
  /** Batches during the passes and between them, the processor milliseconds that they took, of all threads, and the seconds in which they came. */
  readonly batches: number;
  readonly batchMs: number;
  readonly seconds: number;
  /** Most resident MB. */
  readonly peakRssMb: number;
}

const PATH = '/apis/rollcall.dev/v1/heartbeats';
const INTERVAL_MS = 10_000;
const PERIOD_MS = 5_000;
const PASSES = 3;

const [work = '', folder = '', given = '1000000'] = process.argv.slice(2);
const nodes = Number(given);
const relays = nodes / MOST_IN_PART / PARTS_OF_RELAY;

/** Time goes on with the batches: on a machine that is too busy for their pace, no site may look cut off. */
const startedAt = Date.now();
let sent = 0;
const clock: Clock = {
  ...systemClock,
  now: () => startedAt + Math.floor((sent / relays) * INTERVAL_MS),
};

/** What a part says of its nodes: the same each time, so that making it takes none of the time that is measured. */
const nodesOf = (part: number): Buffer =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: MOST_IN_PART }, (_, place) => {
        const name = nodeName(part * MOST_IN_PART + place);
        const plain = isPlainAt(place) ? { plain: true } : {};
        return { name, uid: uidOf(name), ageMs: ageAt(place), ...plain };
      }),
    ),
  );

const createBodies = () => {
  const said = Array.from({ length: nodes / MOST_IN_PART }, (_, part) => nodesOf(part));
  return (relay: number, sequence: number): Buffer => {
    const pieces: Buffer[] = [];
    for (let part = 0; part < PARTS_OF_RELAY; part += 1) {
      const begin = part === 0 ? `{"version":2,"relay":"${relayName(relay)}","parts":[` : ',';
      const head = `{"part":${part},"sequence":${sequence},"workChanges":0,"enrol":[],"nodes":`;
      const own = said[relay * PARTS_OF_RELAY + part] ?? Buffer.alloc(0);
      pieces.push(Buffer.from(begin + head), own, Buffer.from('}'));
    }
    return Buffer.concat([...pieces, Buffer.from(']}')]);
  };
};

/** Sends the batches of all relays by turns. Only the route is measured. */
const createBatches = async (state: SqliteState) => {
  const serve = createHeartbeatServer({ ...serverDeps(state), clock, verified: createVerifiedTokens() });
  const [bodyOf, tokens]: [ReturnType<typeof createBodies>, string[]] = [createBodies(), []];
  for (let relay = 0; relay < relays; relay += 1) tokens.push(await relayToken(relayName(relay)));
  const figures = { ms: 0, threadMs: 0, batches: 0 };
  const send = async (): Promise<void> => {
    const [relay, sequence] = [sent % relays, Math.floor(sent / relays) + 2];
    sent += 1;
    const headers = { authorization: `Bearer ${tokens[relay]}`, 'content-type': 'application/json' };
    const body = bodyOf(relay, sequence);
    const [before, threadBefore] = [cpuMs(), threadCpuMs()];
    const answer = await serve({ method: 'POST', path: PATH, query: new URLSearchParams(), headers, body });
    figures.ms += cpuMs() - before;
    figures.threadMs += threadCpuMs() - threadBefore;
    figures.batches += 1;
    const accepted = String(answer.body).split(`"code":200,"sequence":${sequence},`).length - 1;
    if (answer.status !== 200 || accepted !== PARTS_OF_RELAY)
      throw new Error(`${answer.status} ${String(answer.body).slice(0, 300)}`);
  };
  return { send, figures };
};

/** Sends batches at the pace of the relays, and writes what waits each second, until it is stopped. */
const startPace = (state: SqliteState, { send }: Awaited<ReturnType<typeof createBatches>>) => {
  const [beganAt, already] = [performance.now(), sent];
  let isOver = false;
  const due = (): number => ((performance.now() - beganAt) / INTERVAL_MS) * relays + already;
  const checkpoints = setInterval(state.checkpoint, 1_000);
  const sending = (async () => {
    while (!isOver) {
      if (sent < due()) await send();
      await wait(sent < due() ? 0 : 5);
    }
  })();
  return async (): Promise<void> => {
    isOver = true;
    clearInterval(checkpoints);
    await sending;
  };
};

const peakRssMb = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

const run = async (): Promise<MillionReport> => {
  const openedAt = performance.now();
  const state = openSqliteState({ folder, clock });
  const openMs = performance.now() - openedAt;
  const deps = keepingPlaces({ ...monitorDeps(state, clock), pause: createTurns().pause });
  const batches = await createBatches(state);
  // Once round: tokens are verified, and all nodes are heard.
  for (let index = 0; index < relays; index += 1) await batches.send();
  Object.assign(batches.figures, { ms: 0, threadMs: 0, batches: 0 });
  const [passMs, passCpuMs, turnsMs]: [number[], number[], number[]] = [[], [], []];
  const ownCpuMs = (): number => threadCpuMs() - batches.figures.threadMs;
  const timedPass = async (): Promise<void> => {
    const [passedAt, before] = [performance.now(), ownCpuMs()];
    const report = await runPass(deps, clock.now());
    passMs.push(performance.now() - passedAt);
    passCpuMs.push(ownCpuMs() - before);
    if (report.outcome !== 'done' || report.nodes !== nodes || report.flips > 0)
      throw new Error(`no whole pass: ${JSON.stringify(report)}`);
  };
  const stop = startPace(state, batches);
  const beganAt = performance.now();
  for (let pass = 0; pass < PASSES; pass += 1) {
    turnsMs.push(await longestTurnOf(timedPass));
    const restMs = beganAt + (pass + 1) * PERIOD_MS - performance.now();
    await wait(Math.max(0, restMs));
  }
  const seconds = (performance.now() - beganAt) / 1000;
  await stop();
  const { ms, batches: count } = batches.figures;
  return { openMs, passMs, passCpuMs, turnsMs, batchMs: ms, batches: count, seconds, peakRssMb: peakRssMb() };
};

if (work === 'store')
  await storeHostFleet(folder, { nodes, pods: 0, images: 0, relays: partsFor(nodes, Date.now()) });
else writeFileSync(1, JSON.stringify(await run()));
process.exit();
