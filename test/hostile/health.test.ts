import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startFakeNodeServer } from '../support/servers/fake-node-server.ts';
import { askForHealth, MOST_MS } from './health.ts';

it('a thread that works on something else for too long is found out', async () => {
  const node = await startFakeNodeServer({ summary: () => ({}) });
  const end = askForHealth({ port: node.port, pid: process.pid });
  await wait(1_000);
  const began = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - began < 1.5 * MOST_MS * 1000);
  await wait(300);
  const { asked, longestMs } = await end();
  await node.close();
  expect(asked).toBeGreaterThan(2);
  expect(longestMs).toBeGreaterThan(MOST_MS);
});
