import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createMachineFile } from '../../../../host/folder/machine-file.ts';
import { CloudUnavailableError } from '../../../../shared/ports/outside/cloud-provider.ts';

const folder = mkdtempSync(join(tmpdir(), 'machines-'));
const path = join(folder, 'machines.yaml');
afterEach(() => rmSync(path, { force: true }));

const write = (...machines: readonly string[]): void =>
  writeFileSync(path, `machines:\n${machines.map((one) => `  - ${one}\n`).join('')}`);

const ask = (file: ReturnType<typeof createMachineFile>) =>
  file.cloud.instances([{ nodeName: 'n1', providerId: 'metal://1' }]);

it('the file is read again when it has changed', async () => {
  write('{ providerID: metal://1, state: running }');
  const file = createMachineFile(path);
  expect(await ask(file)).toMatchObject([{ state: 'running' }]);
  write('{ providerID: metal://1, state: terminated }');
  expect(await ask(file)).toMatchObject([{ state: 'terminated' }]);
  write('{ providerID: metal://2, state: running }');
  expect(await ask(file)).toEqual(['missing']);
});

it('a file that is missing or refused never means that machines are gone', async () => {
  const file = createMachineFile(path);
  await expect(ask(file)).rejects.toThrow(CloudUnavailableError);
  write('{ providerID: metal://1, state: running }');
  await ask(file);
  write('{ providerID: metal://1, state: asleep }');
  const error = await ask(file).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(CloudUnavailableError);
  expect(String((error as Error).cause)).toContain('machines[0].state: Unsupported value: "asleep"');
});

it('a watch tells which machines have changed, and what is wrong with the file', async () => {
  write('{ providerID: metal://1, state: running }');
  const { promise: wrong, resolve: complain } = Promise.withResolvers<unknown>();
  const told: (readonly string[])[] = [];
  const loop = createMachineFile(path).watch(async (instances) => {
    told.push(instances);
    if (told.length === 1)
      write('{ providerID: metal://1, state: running }', '{ providerID: metal://2, state: running }');
    else writeFileSync(path, 'machines: 7');
  }, complain);
  expect(String(await wrong)).toContain('machines: Invalid value: 7: must be a list');
  await loop.stop();
  expect(told).toEqual([['metal://1'], ['metal://2']]);
});
