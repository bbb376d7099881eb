/** Runs the blocks of README.md, and of the pages that go on from it, from their own text, in a copy of the checkout and in one shell. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf } from './blocks.ts';
import { cleanEnvironment, copyCheckout, isInstalled, removeCheckout } from './checkout.ts';
import { type Session, startSession } from './session.ts';

/** Each look at the clock is eight hours later, so that the loop of beats renews the token. */
const HOURS_PASS = `date() {
  now=$(($(cat .now 2>/dev/null || echo 0) + 28800))
  echo "$now" | tee .now
}`;

/** What a block must have printed, by a part of its text. */
const EXPECTED: readonly (readonly [string, RegExp])[] = [
  [
    'rollcall outage --zone',
    /4 machines fall silent: n1 n2 n3 n4[\s\S]*these machines answer again: n1 n2 n3 n4/,
  ],
  ['kubectl get nodes -w', /node\/n2 drained[\s\S]*node\/n2 uncordoned/],
  [
    'rollcall explain node n1',
    /Node n1 at[\s\S]*last sign of life[\s\S]*drain requested by[\s\S]*not detached[\s\S]*Zone a at[\s\S]*Pod agent-[\s\S]*not evicted: it tolerates[\s\S]*Pod store-0 in default[\s\S]*NodeAffinity/,
  ],
  ['kubectl get nodes,pods', /node\/\S+ +Ready[\s\S]*pod\/hello-\S+ +1\/1 +Running/],
  ['rollcall backup create', /the backup is in .*(?:today|drill)\.backup/],
  ['while sleep 10', /^$/],
  ['explain zone a --folder zone-drill', /zone state FullDisruption[\s\S]*zone state Normal/],
  ['rollcall drain n2 --wait', /n2 is drained/],
  ['kubectl wait node/new-machine', /new-machine +Ready +.*rack-7[\s\S]*node "new-machine" deleted/],
  ['rollcall doctor --folder drill', /ok +certificate[\s\S]*ok +server[\s\S]*All is well/],
  [
    'roll "$TOKEN" "$API/api/v1/nodes/m1"',
    /"reason": "NodeReady"|"status": "True",\s+"type": "Ready"|"type": "Ready",\s+"status": "True"/,
  ],
  ['simulate all', /zone-outage +passed/],
];

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';

const reasonNotToRun = ({ directives }: Block): string | undefined => {
  for (const directive of directives) {
    if (directive.kind === 'not run') return directive.reason;
    if (directive.kind === 'needs' && !isInstalled(directive.program) && !isComplete)
      return `${directive.program} is not installed`;
  }
  return undefined;
};

/** In the order in which somebody reads them who does everything that they say. */
const PAGES = [
  'README.md',
  'docs/tour.md',
  'docs/how-to/lose-a-zone.md',
  'docs/how-to/maintain.md',
  'docs/how-to/add-a-machine.md',
  'docs/how-to/edge-site.md',
  'docs/how-to/spot-instances.md',
  'docs/install.md',
  'docs/host.md',
  'docs/how-to/disaster-recovery.md',
  'docs/machine-with-curl.md',
] as const;

describe('README.md and the pages after it', () => {
  const blocks = PAGES.flatMap((page) =>
    blocksOf(readFileSync(page, 'utf8')).map((block) => ({ ...block, page })),
  );
  let folder: string;
  let session: Session;

  beforeAll(() => {
    folder = copyCheckout();
    session = startSession({ folder, env: cleanEnvironment(), prelude: HOURS_PASS });
  });

  afterAll(async () => {
    await session.end();
    removeCheckout(folder);
  });

  for (const block of blocks) {
    const name = `${block.page}, line ${block.line}: ${block.text.split('\n')[0]}`;
    const reason = reasonNotToRun(block);
    if (reason !== undefined) {
      process.stdout.write(`not run: ${name} (${reason})\n`);
      continue;
    }
    it(name, async () => {
      const output = await session.run(block);
      process.stdout.write(output);
      for (const [part, expected] of EXPECTED)
        if (block.text.includes(part)) expect(output).toMatch(expected);
    });
  }

  it('has every block that is checked here', () => {
    for (const [part] of EXPECTED)
      expect(
        blocks.some(({ text }) => text.includes(part)),
        part,
      ).toBe(true);
  });
});
