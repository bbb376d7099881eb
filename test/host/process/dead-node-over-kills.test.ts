/** A real host that is killed while a node is silent: the silence goes on, and nodes that live stay Ready. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';

const SECOND = 1_000;
/** Settings of the host: the defaults. */
const GRACE = 40 * SECOND;
const INTERVAL = 10 * SECOND;
const PERIOD = 5 * SECOND;
/** Instants in conditions are whole seconds, and a pass on a busy machine takes a moment. */
const ROUNDING = 2 * SECOND;

const root = mkdtempSync(join(tmpdir(), 'rollcall-kills-'));
let host: HostProcess;
let isOver = false;

afterAll(async () => {
  isOver = true;
  await host?.stop();
  rmSync(root, { recursive: true, force: true });
});

const beat = (name: string): Promise<unknown> =>
  host.send('POST', `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`, {});

const readyOf = async (name: string): Promise<Condition | undefined> => {
  const { status } = (await host.nodes()).find(({ metadata }) => metadata.name === name) ?? {};
  return status?.conditions?.find(({ type }) => type === 'Ready');
};

/** Beats each two seconds, whether the host answers or not. */
const live = async (name: string): Promise<void> => {
  while (!isOver) {
    await beat(name).catch(() => undefined);
    await wait(2 * SECOND);
  }
};

const seenUnknown = new Set<string>();

it('is found at most two beat intervals after its grace period and the last return, over three kills (G-03, G-19)', {
  timeout: 240 * SECOND,
}, async () => {
  host = await startHostProcess(root);
  for (const name of ['dead', 'alive']) {
    await host.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    await beat(name);
  }
  const living = live('alive');
  await eventually('both nodes are ready', 60 * SECOND, async () => {
    await beat('dead');
    const both = [await readyOf('dead'), await readyOf('alive')];
    return both.every((ready) => ready?.status === 'True') || undefined;
  });
  const silentFrom = Date.now();
  let backAt = silentFrom;
  for (let kills = 0; kills < 3; kills += 1) {
    await wait(11 * SECOND);
    await host.kill();
    host = await startHostProcess(root);
    backAt = Date.now();
  }
  const found = await eventually('the dead node is Unknown', 120 * SECOND, async () => {
    if ((await readyOf('alive'))?.status === 'Unknown') seenUnknown.add('alive');
    const ready = await readyOf('dead');
    return ready?.status === 'Unknown' ? ready : undefined;
  });
  const foundAt = parseTime(found.lastTransitionTime ?? '') ?? 0;
  expect(foundAt).toBeGreaterThanOrEqual(silentFrom + GRACE - INTERVAL);
  expect(foundAt).toBeLessThanOrEqual(
    Math.max(silentFrom + GRACE, backAt) + 2 * INTERVAL + PERIOD + ROUNDING,
  );
  expect([...seenUnknown]).toEqual([]);
  isOver = true;
  await living;
});
