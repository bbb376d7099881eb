/** README.md's part for machines that only have curl, from its own text, on the deployed stack. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../../shared/api/core.ts';
import { type Block, blocksOf } from '../readme/blocks.ts';
import { cleanEnvironment, copyCheckout, removeCheckout } from '../readme/checkout.ts';
import { type Session, startSession } from '../readme/session.ts';
import { cliToken, must } from './support/deployment.ts';
import { startMachine } from './support/machine.ts';
import { eventually } from './support/wait.ts';

const SECTION = 'A machine that only has curl';
/** The schedule of a stack that was just deployed begins at the next whole minute; LocalStack's pollers take their time, too. */
const FIRST_PASS_MS = 180_000;
/** The block of beats runs for 25 s, and the first beat comes after ten. */
const BEATS_MS = 27_000;

const admin = cliToken('--admin');

const isReady = async (name: string): Promise<boolean> => {
  const { status } = await must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
};

/** Returns when passes of the node monitor have begun. */
const awaitMonitor = async (): Promise<void> => {
  const probe = await startMachine(admin, 'readme-probe', 'z1', 'plain');
  await eventually('a node that beats is Ready', FIRST_PASS_MS, () => isReady(probe.name));
  await probe.leave();
};

describe(`README.md, "${SECTION}", on LocalStack`, () => {
  const blocks = blocksOf(readFileSync('README.md', 'utf8')).filter(({ section }) => section === SECTION);
  let folder: string;
  let session: Session;

  beforeAll(async () => {
    folder = copyCheckout();
    session = startSession({ folder, env: cleanEnvironment() });
    await awaitMonitor();
  }, FIRST_PASS_MS);

  afterAll(async () => {
    await session.run({
      section: SECTION,
      line: 0,
      text: 'curl -sS -X DELETE -H "Authorization: Bearer $TOKEN" "$API/api/v1/nodes/m1"',
      directives: [],
    });
    await session.end();
    removeCheckout(folder);
  });

  it('registers a node, gets its token, keeps it Ready and releases it', async () => {
    expect(blocks).toHaveLength(5);
    const [variables, registration, beats, show, release] = blocks as [Block, Block, Block, Block, Block];
    await session.run(variables);
    await session.run(registration);
    const [printed] = await Promise.all([
      session.run(beats),
      eventually('m1 is Ready while it beats', BEATS_MS, () => isReady('m1')),
    ]);
    expect(printed, 'a beat that fails says so').toBe('');
    const node = JSON.parse(await session.run(show)) as Node;
    expect(node.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready' }));
    await session.run(release);
  });
});
