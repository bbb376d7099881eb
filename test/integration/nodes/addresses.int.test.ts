import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { cliToken, must } from '../support/deployment.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

/** Until a Node that has joined has its addresses, ms. */
const WITHIN_MS = 60_000;

const admin = cliToken('--admin');
const machines: Machine[] = [];

const blocksOf = async (name: string): Promise<readonly string[] | undefined> => {
  const node = await must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
  return node.spec?.podCIDRs;
};

beforeAll(async () => {
  const names = ['addressed-1', 'addressed-2', 'addressed-3'];
  machines.push(
    ...(await Promise.all(names.map((name) => startMachine(admin, name, 'zone-addressed', 'plain')))),
  );
});

afterAll(() => Promise.all(machines.map((machine) => machine.leave())));

it('nodes that join at once get a block of addresses each, and none gets that of another', async () => {
  const blocks = await Promise.all(
    machines.map(({ name }) => eventually(`${name} has addresses`, WITHIN_MS, () => blocksOf(name))),
  );
  expect(blocks.flat()).toHaveLength(machines.length);
  expect(new Set(blocks.flat()).size).toBe(machines.length);
  for (const block of blocks.flat()) expect(block).toMatch(/^10\.244\.\d+\.0\/24$/);
});
