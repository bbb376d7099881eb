/** Runs the page for machines that only have curl, from its own text, on the deployed stack. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { type Block, blocksOf } from '../../readme/blocks.ts';
import { cleanEnvironment, copyCheckout, removeCheckout } from '../../readme/checkout.ts';
import { type Session, startSession } from '../../readme/session.ts';
import { cliToken, must } from '../support/deployment.ts';
import { control } from '../support/inspection.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const PAGE = 'docs/machine-with-curl.md';
/** Longest time to the first pass, ms: a schedule starts within a minute after the deploy, and LocalStack's pollers are slow. */
const FIRST_PASS_MS = 180_000;

const admin = cliToken('--admin');

/** Returns when the node is Ready. Otherwise the failure shows its last conditions and the monitor's last pass. */
const awaitReady = async (name: string, withinMs: number): Promise<void> => {
  let seen: unknown;
  const look = async (): Promise<boolean> => {
    const { status } = await must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
    const conditions = status?.conditions ?? [];
    seen = { conditions, pass: await control.readPass(), now: Date.now() };
    return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  };
  await eventually(`${name} is Ready while it beats`, withinMs, look, () => seen);
};

/** Returns when passes of the node monitor have begun. */
const awaitMonitor = async (): Promise<void> => {
  const probe = await startMachine(admin, 'readme-probe', 'z1', 'plain');
  await awaitReady(probe.name, FIRST_PASS_MS);
  await probe.leave();
};

/** Repeats the page's loop of heartbeats until `end` is settled. Returns what the loop printed. */
const beatUntil = async (end: Promise<void>, run: () => Promise<string>): Promise<string> => {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  end.then(over, over);
  let printed = '';
  do printed += await run();
  while (!isOver);
  await end;
  return printed;
};

describe(`${PAGE} on LocalStack`, () => {
  const blocks = blocksOf(readFileSync(PAGE, 'utf8'));
  let folder: string;
  let session: Session;

  beforeAll(async () => {
    folder = copyCheckout();
    session = startSession({ folder, env: cleanEnvironment() });
    await awaitMonitor();
  }, FIRST_PASS_MS);

  afterAll(async () => {
    await session.run({
      line: 0,
      text: 'curl -sS -X DELETE -H "Authorization: Bearer $TOKEN" "$API/api/v1/nodes/m1"',
      directives: [],
    });
    await session.end();
    removeCheckout(folder);
  });

  it(
    'registers a node, gets its token, keeps it Ready and releases it',
    async () => {
      expect(blocks).toHaveLength(5);
      const [variables, registration, beats, show, release] = blocks as [Block, Block, Block, Block, Block];
      await session.run(variables);
      await session.run(registration);
      const printed = await beatUntil(awaitReady('m1', FIRST_PASS_MS), () => session.run(beats));
      expect(printed, 'the loop prints only failed heartbeats').toBe('');
      const node = JSON.parse(await session.run(show)) as Node;
      expect(node.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready' }));
      await session.run(release);
    },
    2 * FIRST_PASS_MS,
  );
});
