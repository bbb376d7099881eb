import { describe, expect, it } from 'vitest';
import { decodeKubeletConfig } from '../../../../agent/rules/config/kubelet-config.ts';
import { RUN_OPTIONS } from '../../../../cli/agent/agent-options.ts';
import { SETTING_OPTIONS } from '../../../../cli/host/setting-options.ts';
import { adviceOn, INSTEAD, withoutHarmless } from '../../../../cli/options/kubernetes-flags.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const AGENT = 'agent run --server https://192.0.2.1';

describe('flags of Kubernetes that are none of ours', () => {
  it.each([...INSTEAD.host.keys()])(
    'serve --%s says what to use instead, without a stack trace',
    async (flag) => {
      const { code, printed, complaint } = await runCommandLine(`serve --${flag}=Other`);
      expect([code, printed]).toEqual([2, '']);
      expect(complaint).toBe(
        `rollcall serve: there is no option --${flag}: ${INSTEAD.host.get(flag)}; see rollcall serve --help`,
      );
    },
  );

  it.each([...INSTEAD.agent.keys()])('agent run --%s does the same', async (flag) => {
    const { code, printed, complaint } = await runCommandLine(`${AGENT} --${flag}=Other`);
    expect([code, printed]).toEqual([2, '']);
    expect(complaint).toBe(
      `rollcall agent: there is no option --${flag}: ${INSTEAD.agent.get(flag)}; see rollcall agent --help`,
    );
  });

  it('are written once, and none of them is an option', () => {
    for (const [whose, options] of [
      ['host', SETTING_OPTIONS],
      ['agent', RUN_OPTIONS],
    ] as const) {
      const flags = [...INSTEAD[whose].keys()];
      expect(new Set(flags).size).toBe(flags.length);
      expect(flags.filter((flag) => Object.hasOwn(options, flag))).toEqual([]);
    }
  });

  it('name options and fields that there are', () => {
    const fields = new Set(Object.keys(decodeKubeletConfig({})));
    for (const whose of ['host', 'agent'] as const)
      for (const flag of [...INSTEAD[whose].keys()]) {
        const instead = INSTEAD[whose].get(flag) ?? '';
        const [, field] = /^write (\w+) into the Kubelet/.exec(instead) ?? [];
        if (field !== undefined) expect(fields, flag).toContain(field);
        for (const [, option = ''] of instead.matchAll(/(?<!rollcall [\w-]+ )--([\w-]+)/g))
          expect(
            ['bootstrap', 'print-join', 'help', ...Object.keys(SETTING_OPTIONS), ...Object.keys(RUN_OPTIONS)],
            flag,
          ).toContain(option);
      }
  });

  it('of another program are unknown', async () => {
    expect(INSTEAD.agent.get('pod-eviction-timeout')).toBeUndefined();
    expect((await runCommandLine('token --pod-eviction-timeout=5m')).complaint).toBe(
      'rollcall token: there is no option --pod-eviction-timeout; see rollcall token --help',
    );
  });
});

describe('harmless flags', () => {
  it('are ignored, each with a warning', async () => {
    const { code, complaint } = await runCommandLine(
      'config --v=2 --leader-elect=true --feature-gates TopologyManager=true,CPUManager=true',
    );
    expect(code).toBe(0);
    expect(complaint.split('\n')).toEqual([
      '--v is ignored: the log has one level; leave it out',
      '--leader-elect is ignored: one process at a time has the folder; leave it out',
      '--feature-gates TopologyManager=true,CPUManager=true is ignored: these gates are always on; leave it out',
    ]);
  });

  it.each([
    [
      ['--v', '2', '--listen', 'x'],
      ['--listen', 'x'],
    ],
    [['-v', '2'], []],
    [['-v=2'], []],
    [['--v', '--fleet'], ['--fleet']],
    [['--logtostderr', '--fleet'], ['--fleet']],
    [
      ['--on', 'all', '--', 'x', '--v', '2'],
      ['--on', 'all', '--', 'x', '--v', '2'],
    ],
    [['--feature-gates=TopologyManager=false'], ['--feature-gates=TopologyManager=false']],
    [
      ['--feature-gates=TopologyManager=true,Other=true'],
      ['--feature-gates=TopologyManager=true,Other=true'],
    ],
    [['--feature-gates'], ['--feature-gates']],
  ])('%j leaves %j', (given, kept) => {
    expect(withoutHarmless(given).args).toEqual(kept);
  });
});

describe('a KubeletConfiguration with what Kubernetes has removed', () => {
  it.each([
    ['featureGates: {TopologyManager: true}', 'Kubernetes has removed the gate TopologyManager'],
    [
      'memorySwap: {swapBehavior: UnlimitedSwap}',
      'Kubernetes 1.30 has removed UnlimitedSwap: use LimitedSwap',
    ],
  ])('%s is refused with the remedy', async (line, remedy) => {
    const text = `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${line}\n`;
    const { code, complaint } = await runCommandLine(`${AGENT} --config c.yaml`, {
      readFile: async () => text,
    });
    expect([code, complaint]).toEqual([2, expect.stringContaining(remedy)]);
    expect(complaint.split('\n')).toHaveLength(1);
  });

  it('has no advice for what never was', () => {
    expect(adviceOn('unrecognized feature gate: Foo')).toBe('');
  });
});
