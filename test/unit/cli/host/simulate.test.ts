import { describe, expect, it } from 'vitest';
import { HistoryRecorder } from '../../../../shared/rules/history/recorder.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';
import { builtInNames, builtInScenario } from '../../../../simulation/built-in.ts';
import { planOfRecord } from '../../../../simulation/recorded-fleet.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const run = (line: string, files: Record<string, string> = {}) =>
  runCommandLine(line, {
    readFile: async (path) => files[path] ?? Promise.reject(new Error('no such thing')),
    writeFile: async (path, text) => {
      files[path] = text;
    },
  });

/** A scenario of three machines in which a machine joins, and another action happens. */
const withAction = (action: string): string => `
name: mine
about: Nothing.
duration: 5m
fleet: { zones: [a], nodesPerZone: 2 }
workloads:
  - { name: web, kind: Deployment, replicas: 3 }
actions:
  - join: { zone: a, at: 2m }
  - ${action}
expect: { podsAtEnd: 1, leastReady: 4, doneWithin: 1s, nodesWithAddresses: 3 }
`;

describe('rollcall simulate', () => {
  it.each([
    [
      'rollout-during-outage',
      '*  web gets another template',
      / {2}web +12 of 12 pods ready at the end, never fewer than 8 since all were, change done within \d+\.\d s/,
    ],
    ['daemon-set-follows-nodes', 'b  b-4, b-5 joined', / {2}agent +8 of 8 pods ready at the end/],
    [
      'addresses-used-again',
      'b  b-2, b-3 left',
      /addresses +8 of 8 nodes have podCIDRs, 2 blocks used again, 0 given twice/,
    ],
    [
      'deleted-while-nodes-are-lost',
      '*  web is deleted',
      / {2}web +0 of 0 pods ready at the end, .*change done within 48\d\.\d s/,
    ],
    [
      'namespace-deleted-with-lost-nodes',
      '*  namespace team is deleted',
      /namespace team +gone after (4[89]\d|5\d\d|6\d\d)\.\d s/,
    ],
  ])('%s: prints what happened, and what became of it', async (name, happened, figure) => {
    const { printed } = await run(`simulate ${name}`);
    expect(printed).toContain(happened);
    expect(printed).toMatch(figure);
  });

  it('says which expectations of workloads and addresses are not met', async () => {
    const { printed } = await run('simulate mine.yaml', {
      'mine.yaml': withAction('rollout: { workload: web, at: 3m }'),
    });
    expect(printed).toContain('podsAtEnd: 3, expected 1');
    expect(printed).toContain('leastReady: 3, expected 4');
    expect(printed).toContain('doneWithin of web: ');
    expect(printed).toContain('nodesWithAddresses: 0, expected 3');
  });

  // It runs all scenarios: a minute where other tests run beside it.
  it('all: prints one line with a verdict for each scenario that is not large', async () => {
    const { code, printed } = await run('simulate all');
    const small = builtInNames().filter((name) => !builtInScenario(name).large);
    expect(printed.split('\n').map((line) => line.split(/ +/))).toEqual(
      small.map((name) => [name, 'passed']),
    );
    expect(small.length).toBeGreaterThanOrEqual(10);
    expect(code).toBe(0);
  }, 300_000);

  it.each(['zone-outage', 'messages-doubled-late-and-reordered'])(
    '%s: prints the same for the same seed, and something else for another',
    async (name) => {
      const first = await run(`simulate ${name} --seed 7`);
      expect(first.printed).toContain('verdict               passed');
      expect((await run(`simulate ${name} --seed 7`)).printed).toBe(first.printed);
      expect((await run(`simulate ${name} --seed 8`)).printed).not.toBe(first.printed);
    },
  );

  it('--notifications: an outage of a zone of twelve nodes is one line when it begins, and one when it ends', async () => {
    const { printed } = await run('simulate zone-outage --notifications');
    const [, lines = ''] = /^notifications\n([\s\S]*?)\n\n/m.exec(printed) ?? [];
    expect(lines.split('\n')).toEqual([
      expect.stringMatching(/ critical +ZoneStateChanged: zone b: FullDisruption, .*, with 12 NodeLost$/),
      expect.stringMatching(/ resolved +ZoneStateChanged: zone b: Normal, .*, with 12 NodeReturned$/),
    ]);
    expect((await run('simulate zone-outage')).printed).not.toContain('12 NodeLost');
  });

  it('says so if nobody would have been told anything, and if it was not as often as expected', async () => {
    const calm = 'name: calm\nabout: Nothing.\nduration: 2m\nfleet: { zones: 1, nodesPerZone: 2 }\n';
    const { printed, code } = await run('simulate calm.yaml --notifications', {
      'calm.yaml': `${calm}expect: { notifications: { warning: [1, 2], critical: 0 } }\n`,
    });
    expect(printed).toContain('nobody would have been told anything');
    expect(printed).toContain('FAILED: notifications.warning: 0, expected 1 to 2');
    expect(code).toBe(1);
  });

  it('fails with exit code 1 when a scenario does not meet its expectations', async () => {
    const { code, printed, complaint } = await run('simulate zone-outage --set nodeEvictionRate=0.2');
    expect(code).toBe(1);
    expect(printed).toContain('FAILED: minTaintGap: 5 s, expected at least 10 s');
    expect(complaint).toBe('rollcall simulate: zone-outage failed: it does not meet its expectations');
  });

  describe('replay --policy', () => {
    const policy = (name: string, spec: string) =>
      `apiVersion: rollcall.dev/v1\nkind: NodeLifecyclePolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
    const replayed = async (file: string, more = '') => {
      const files: Record<string, string> = { 'policy.yaml': file };
      await run('simulate zone-outage --record run.json', files);
      return run(`simulate replay run.json --policy policy.yaml${more}`, files);
    };

    it('lists each node that would have fared otherwise', async () => {
      const spec = '{ zones: [b], nodeMonitorGracePeriodSeconds: 120, nodeEvictionRate: 0.02 }';
      const { printed } = await replayed(policy('patient', spec));
      expect(printed).toContain('zone-outage, seed 1, with the policies of policy.yaml:');
      expect(printed).toMatch(/^NODE +ZONE +UNKNOWN +TAINTED +PODS EVICTED$/m);
      expect(printed).toMatch(/^b-9 +b +0:03:40 → 0:05:00 +0:05:25 → never +2 → 0$/m);
      expect(printed).toMatch(/^b-10 +b +0:03:35 → 0:04:55 +0:03:45 → 0:05:45 +2$/m);
      expect(printed).toContain('NoExecute taints: 12  →  10');
    });

    it('lists no node that a policy would not have changed, also as JSON', async () => {
      const { printed } = await replayed(
        policy('other', '{ zones: [a], nodeEvictionRate: 0.02 }'),
        ' --json',
      );
      expect(JSON.parse(printed)).toMatchObject({ nodes: [] });
    });

    it.each([
      ['another kind', 'kind: Node', /policy\.yaml: not a NodeLifecyclePolicy of rollcall\.dev\/v1/],
      ['a wrong field', policy('p', '{ rate: 1 }'), /policy\.yaml: unknown field "spec\.rate"/],
      [
        'a wrong value',
        policy('p', '{ nodeEvictionRate: -1 }'),
        /policy\.yaml: spec\.nodeEvictionRate: Invalid value: -1: must be from 0 to 100/,
      ],
      [
        'a tie',
        `${policy('p', '{ zones: [a] }')}---\n${policy('q', '{ zones: [a, b] }')}`,
        /policy q can select the same nodes as policy p/,
      ],
      ['no policy', '', /policy\.yaml: it has no NodeLifecyclePolicy/],
    ])('refuses a file with %s', async (_, file, complaint) => {
      const { code, complaint: said } = await replayed(file);
      expect(code).toBe(1);
      expect(said).toMatch(complaint);
    });
  });

  it('fleet: shows what other settings would have made of a recorded outage', async () => {
    const recorder = new HistoryRecorder();
    const seen = { zone: 'a', ready: 'True', noExecute: [], isCounted: true } as const;
    const node = { ...seen, isCordoned: false, isDraining: false, isShuttingDown: false };
    recorder.begin({ revision: 1, at: 1_000_000, nodes: ['a1', 'a2'].map((name) => [name, node]) });
    recorder.change({ revision: 2, at: 1_200_000, name: 'a2', seen: { ...node, ready: 'Unknown' } });
    recorder.seenUntil(1_500_000);
    const settings = NODE_LIFECYCLE_DEFAULTS;
    const planned = planOfRecord(recorder.record(), settings, []);
    const changed = { nodeMonitorGracePeriodMs: 80_000 };
    const file = JSON.stringify({ rollcall: 'fleet', version: 1, plan: planned?.plan, settings, changed });
    const { printed } = await run('simulate fleet outage.json', { 'outage.json': file });
    expect(printed).toMatch(/a2 +a +0:01:42\S* → 0:02:22/);
    const { printed: json } = await run('simulate fleet outage.json --json', { 'outage.json': file });
    expect(Object.keys(JSON.parse(json))).toEqual(['asIs', 'changed']);
    expect((await run('simulate fleet x.json', { 'x.json': '{}' })).complaint).toContain(
      'is not a recorded fleet',
    );
  });

  it('replay: finds no difference under the settings of the recording, and lists the differences under others', async () => {
    const files: Record<string, string> = {};
    await run('simulate zone-outage --record run.json', files);
    expect((await run('simulate replay run.json', files)).printed).toContain(
      'nothing would have been different',
    );
    const { printed } = await run('simulate replay run.json --set nodeEvictionRate=0.2', files);
    expect(printed).toContain('with nodeEvictionRate=0.2:');
    expect(printed).toContain('zone b: 12, at least 10.0 s apart  →  12, at least 5.0 s apart');
    expect(printed).toMatch(/NoExecute taint at another time: 11, by -\d+ s in the middle; the first is b-/);
  });

  it('--json: prints the figures', async () => {
    const { printed } = await run('simulate node-crash --json');
    expect(JSON.parse(printed)).toMatchObject({ name: 'node-crash', failings: [], figures: { unknown: 3 } });
  });

  it.each<[string, string, number, RegExp]>([
    [
      'nothing',
      'simulate',
      2,
      /give a scenario, all, replay RECORDING, fleet FILE or list; see rollcall simulate --help/,
    ],
    [
      'an unknown file',
      'simulate nowhere.yaml',
      1,
      /cannot read nowhere\.yaml: no such thing \(rollcall simulate list prints the built-in scenarios\)/,
    ],
    [
      'a misspelt scenario',
      'simulate zone-outag',
      1,
      /cannot read zone-outag: no such thing; did you mean zone-outage\?/,
    ],
    ['a bad seed', 'simulate flapping --seed x', 2, /--seed x is not valid: give a whole number/],
    [
      'a setting without a value',
      'simulate flapping --set rate',
      2,
      /--set rate is not a setting; write it as --set nodeEvictionRate=0\.2/,
    ],
    [
      'an unknown setting',
      'simulate flapping --set rate=2',
      1,
      /rate: "2" is not a setting; the settings are/,
    ],
    [
      'a file that is not a recording',
      'simulate replay notes.txt',
      1,
      /notes\.txt is not a recording of a simulation; create one with/,
    ],
    [
      'an action on a workload that is not there',
      'simulate action.yaml',
      1,
      /actions: there is no workload shop; there are web/,
    ],
    [
      'an action on a node that is not there',
      'simulate leave.yaml',
      1,
      /actions: there is no node b-1; there are a-1, a-2, a-3/,
    ],
    [
      'a policy where there is no recording',
      'simulate zone-outage --policy p.yaml',
      2,
      /--policy is for replay; in a scenario write policies/,
    ],
    ['a broken scenario', 'simulate broken.yaml', 1, /broken\.yaml:1: nam: unknown field/],
  ])('complains about %s', async (_name, line, code, complaint) => {
    const result = await run(line, {
      'notes.txt': 'hello',
      'broken.yaml': 'nam: x',
      'action.yaml': withAction('delete: { workload: shop, at: 1m }'),
      'leave.yaml': withAction('leave: { nodes: [b-1], at: 1m }'),
    });
    expect([result.code, result.printed]).toEqual([code, '']);
    expect(result.complaint).toMatch(complaint);
  });
});
