/** Hosts of a test whose nodes stay ready although nobody beats. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HostProcess, startHostProcess } from './host-process.ts';

const AMOUNTS = { cpu: '4', memory: '8Gi', pods: '110' };

/** A folder that goes when the test has ended. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts a host on the state in `folder`. It is killed when the test has ended. */
export const startPatientHost = async (
  folder: string,
  ...settings: readonly string[]
): Promise<HostProcess> => {
  const host = await startHostProcess(folder, '--node-monitor-grace-period', '1h', ...settings);
  onTestFinished(() => host.kill());
  return host;
};

/** Creates a Node that is ready. `amounts`: its capacity. */
export const addReadyNode = async (
  host: HostProcess,
  name: string,
  { amounts = AMOUNTS, ...spec }: { readonly amounts?: object; readonly taints?: readonly object[] } = {},
): Promise<void> => {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: 'test' }];
  const status = { capacity: amounts, allocatable: amounts, conditions };
  await host.send('POST', '/api/v1/nodes', { metadata: { name }, spec, status });
};
