import { describe, expect, it } from 'vitest';
import { readHostConfiguration } from '../../../../cli/host/host-options.ts';
import { usage } from '../../../../cli/host/serve.ts';
import { main } from '../../../../cli/main.ts';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { flagOf, HOST_SETTING_NAMES } from '../../../../shared/settings/host-settings.ts';
import { createCommandWorld } from '../../../support/shell/command-line.ts';

const read = (line: string, world: Partial<CommandContext> = {}) =>
  readHostConfiguration(
    line.split(' ').filter((word) => word !== ''),
    usage,
    createCommandWorld(world).context,
  );

describe('the settings of a host', () => {
  it('have the defaults of every target, on a free port of loopback', async () => {
    expect(await read('')).toMatchObject({
      folder: '.rollcall',
      listen: { host: '127.0.0.1', port: 0 },
      isFast: false,
      fleet: undefined,
      cluster: { nodeLifecycle: { nodeMonitorGracePeriodMs: 40_000 }, heartbeatIntervalSeconds: 10 },
    });
  });

  it('are taken from the flags first, then from variables, then from the file', async () => {
    const world = {
      env: { ROLLCALL_NODE_MONITOR_PERIOD: '3s', ROLLCALL_CLUSTER_ID: 'env', ROLLCALL_CONFIG: 'f.yaml' },
      readFile: async () => 'nodeMonitorPeriod: 2s\nclusterId: file\nnodeEvictionRate: 0.5\n',
    };
    const { cluster } = await read('--node-monitor-period 4s', world);
    expect(cluster.nodeLifecycle.nodeMonitorPeriodMs).toBe(4_000);
    expect(cluster.clusterId).toBe('env');
    expect(cluster.nodeLifecycle.nodeEvictionRate).toBe(0.5);
  });

  it('--fast divides every time by ten and multiplies rates', async () => {
    const { cluster, timeFactor } = await read('--fast --fleet --nodes 3');
    expect(timeFactor).toBe(10);
    expect(cluster.nodeLifecycle).toMatchObject({
      nodeMonitorPeriodMs: 500,
      nodeMonitorGracePeriodMs: 4_000,
      nodeStartupGracePeriodMs: 6_000,
      nodeEvictionRate: 1,
      unhealthyZoneThreshold: 0.55,
    });
    expect(cluster.defaultTolerationSeconds).toBe(30);
    expect(cluster.heartbeatIntervalSeconds).toBe(1);
  });

  it.each(['', '--fast '])('%s--node-monitor-grace-period 8s is the shortest', async (fast) => {
    const { cluster, timeFactor } = await read(
      `${fast}--node-monitor-grace-period 8s --node-monitor-period 1s`,
    );
    expect(cluster.nodeLifecycle.nodeMonitorGracePeriodMs * timeFactor).toBe(8_000);
  });

  it.each([
    ['[::1]:6443', { host: '::1', port: 6443 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ])('--listen %s', async (given, listen) =>
    expect((await read(`--listen ${given}`)).listen).toEqual(listen),
  );

  it.each([
    [
      '--node-monitor-perod 5s',
      /there is no option --node-monitor-perod; did you mean --node-monitor-period\? See rollcall/,
    ],
    ['--listen 6443', /listen: "6443" is refused; give HOST:PORT/],
    ['--listen a:70000', /listen: "a:70000" is refused/],
    ['--zones 0 --nodes x', /nodes: "x" is refused.*zones: "0" is refused/s],
    [
      '--node-monitor-period 1s --node-monitor-grace-period 7s',
      /nodeMonitorGracePeriod: 7s is too short for a host, which looks each second.*set it to 8s or more/,
    ],
    ['--node-monitor-period 50s', /nodeMonitorGracePeriod: 40s is less than twice nodeMonitorPeriod/],
    ['--controllers *,-foo', /controllers: "-foo" is no controller; the controllers are node-monitor, .*job/],
    ['--controllers Job', /controllers: "Job" is refused; give "all", "none", or names of controllers/],
    ['--controllers=-job', /controllers: "-job" leaves none; give "none", or begin with "\*"/],
    ['--config nowhere.yaml', /cannot read the settings in nowhere.yaml/],
  ])('%s is refused with the reason', async (line, reason) => {
    await expect(read(line)).rejects.toThrow(reason);
  });

  it('that exist only on AWS are refused by name in a file', async () => {
    const readFile = async (): Promise<string> => 'alarmTopicArn: x\n';
    await expect(read('--config f', { readFile })).rejects.toThrow(
      /alarmTopicArn: "x" is not a setting of the host/,
    );
  });

  it('are all listed by --help, and by rollcall config with their sources', async () => {
    const { context, printed } = createCommandWorld({ env: { ROLLCALL_NODES: '5' } });
    expect(await main(['serve', '--help'], context)).toBe(0);
    expect(await main(['config', '--fast'], context)).toBe(0);
    const [help = '', ...lines] = printed;
    for (const name of HOST_SETTING_NAMES)
      expect(help).toMatch(new RegExp(`^  --${flagOf(name)}(?: [^ a-z]+)?(?: {2,}\\S|$)`, 'm'));
    expect(lines.map((line) => line.split(' ')[0])).toEqual(HOST_SETTING_NAMES);
    expect(lines.find((line) => line.startsWith('nodes '))).toMatch(/^nodes +5 +environment /);
    expect(lines.find((line) => line.startsWith('fast '))).toMatch(/^fast +true +flag /);
  });
});
