import { describe, expect, it } from 'vitest';
import { parseConfiguration } from '../../../../shared/settings/aws/configuration.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const messageOf = (given: Readonly<Record<string, unknown>>): string => {
  try {
    parseConfiguration(given);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return '';
};

describe('the configuration', () => {
  it('has a default for everything that needs a value', () => {
    expect(parseConfiguration()).toEqual({
      nodeLifecycle: NODE_LIFECYCLE_DEFAULTS,
      nodeIpam: undefined,
      serviceRanges: ['10.96.0.0/12'],
      defaultTolerationSeconds: 300,
      enableAdmissionPlugins: [],
      outOfService: { policy: 'manual', fencingDelayMs: 60_000 },
      volumeAttacher: 'none',
      maintenanceLeadMs: 3_600_000,
      terminatedPodGcThreshold: 12_500,
      disableForceDetachOnTimeout: false,
      heartbeatIntervalSeconds: 10,
      heartbeatRetentionSeconds: 86_400,
      controllers: 'all',
      profile: 'full',
      dashboard: 'off',
      zoneMetrics: 'off',
      schedulerName: 'default-scheduler',
      clusterId: 'rollcall',
      heartbeatReservedConcurrency: 50,
      apiserverReservedConcurrency: 50,
      apiserverMemoryMb: 256,
      apiserverInvokeMode: 'stream',
      logRetentionDays: 30,
      alarmTopicArn: undefined,
      eventSinks: [],
      kmsKeyArn: undefined,
      release: undefined,
      state: 'created',
      stateGeneration: 1,
      paused: false,
      removalPolicy: 'retain',
      tracing: 'off',
    });
  });

  it('accepts strings and numbers, as CDK context passes them', () => {
    const given = {
      nodeMonitorPeriod: '1s',
      nodeMonitorGracePeriod: 8,
      nodeEvictionRate: '0.5',
      heartbeatReservedConcurrency: '100',
    };
    const { nodeLifecycle, heartbeatReservedConcurrency } = parseConfiguration(given);
    expect(nodeLifecycle).toMatchObject({
      nodeMonitorPeriodMs: 1000,
      nodeMonitorGracePeriodMs: 8000,
      nodeEvictionRate: 0.5,
    });
    expect(heartbeatReservedConcurrency).toBe(100);
  });

  it.each<[unknown, readonly string[]]>([
    ['', []],
    ['PodTolerationRestriction', ['PodTolerationRestriction']],
    [
      ' PodTolerationRestriction, ExtendedResourceToleration,',
      ['PodTolerationRestriction', 'ExtendedResourceToleration'],
    ],
    [['ExtendedResourceToleration', 'ExtendedResourceToleration'], ['ExtendedResourceToleration']],
  ])('switches on the admission plugins of %j', (given, plugins) => {
    expect(parseConfiguration({ enableAdmissionPlugins: given }).enableAdmissionPlugins).toEqual(plugins);
  });

  it('refuses an admission plugin that it does not know, and lists those that it knows', () => {
    expect(messageOf({ enableAdmissionPlugins: 'AlwaysAdmit' })).toContain(
      'enableAdmissionPlugins: "AlwaysAdmit" is refused; give some of ExtendedResourceToleration and PodTolerationRestriction, comma-separated, or leave it out',
    );
  });

  it.each([
    { grace: '50s', interval: 10 },
    { grace: '8s', interval: 2 },
    { grace: '2s', interval: 1 },
  ])('suggests four beats per grace period of $grace, at least one every 10 s', ({ grace, interval }) => {
    const given = { nodeMonitorPeriod: '1s', nodeMonitorGracePeriod: grace };
    expect(parseConfiguration(given).heartbeatIntervalSeconds).toBe(interval);
  });

  const refused = [
    { name: 'nodeMonitorPeriod', values: ['0s', '61s', '1.5s', '500ms', 'soon', '', -5, 2.5, true, null] },
    { name: 'nodeMonitorGracePeriod', values: ['1s', '2h', '40 s', '40S'] },
    { name: 'nodeStartupGracePeriod', values: ['1s', {}] },
    { name: 'nodeEvictionRate', values: [-0.1, '0,1', 'fast', '', 101, 'Infinity'] },
    { name: 'secondaryNodeEvictionRate', values: ['-1'] },
    { name: 'largeClusterSizeThreshold', values: [-1, 2.5, 'fifty'] },
    { name: 'unhealthyZoneThreshold', values: [0, 1.1, '55%'] },
    { name: 'defaultTolerationSeconds', values: [-1, '1.5', '721h'] },
    { name: 'enableAdmissionPlugins', values: ['LimitRanger', 'PodTolerationRestriction,Foo', ['Foo'], 7] },
    { name: 'terminatedPodGcThreshold', values: ['1.5', 'all'] },
    { name: 'heartbeatRetention', values: ['59m', '2161h'] },
    { name: 'heartbeatInterval', values: ['0s', '1.5s', 'often'] },
    { name: 'controllers', values: ['All', 'job,none', false] },
    { name: 'clusterId', values: ['', 'Prod', '-a', 'a'.repeat(41), 7] },
    { name: 'heartbeatReservedConcurrency', values: [0, 'many'] },
    { name: 'apiserverReservedConcurrency', values: [-1] },
    { name: 'apiserverMemoryMb', values: [128, 10_240] },
    { name: 'apiserverInvokeMode', values: ['poll', ''] },
    { name: 'logRetentionDays', values: [2, 'forever'] },
    { name: 'alarmTopicArn', values: ['oncall', 'arn:aws:sqs:eu-west-1:111122223333:oncall'] },
    { name: 'release', values: ['', 'a b', 'x'.repeat(65)] },
    { name: 'removalPolicy', values: ['keep'] },
    { name: 'stateGeneration', values: [0, 1.5, 'two'] },
    { name: 'paused', values: ['', 'yes', 1] },
    { name: 'tracing', values: ['', 'on', 'Active', true] },
  ].flatMap(({ name, values }) => values.map((value) => ({ name, value })));

  it('takes another generation of tables only if it keeps them', () => {
    expect(parseConfiguration({ state: 'kept', stateGeneration: '2' }).stateGeneration).toBe(2);
    expect(messageOf({ stateGeneration: '2' })).toContain(
      'stateGeneration: 2 is what a restore made; set state to kept, which takes it',
    );
  });

  it.each([
    [{}, 10],
    [{ nodeMonitorGracePeriod: '20s' }, 5],
    [{ nodeMonitorGracePeriod: '2m' }, 10],
    [{ heartbeatInterval: '15s' }, 15],
    [{ nodeMonitorGracePeriod: '2m', heartbeatInterval: '45s' }, 45],
  ])('asks with %j for a heartbeat each %s s', (given, interval) => {
    expect(parseConfiguration(given).heartbeatIntervalSeconds).toBe(interval);
  });

  it.each([true, 'true'])('is paused by %j', (paused) => {
    expect(parseConfiguration({ paused }).paused).toBe(true);
  });

  it.each(refused)('refuses $name=$value and names the accepted values', ({ name, value }) => {
    const message = messageOf({ [name]: value });
    expect(message).toContain(`${name}: ${JSON.stringify(value)} is refused; give `);
    expect(message).toContain('leave it out');
  });

  it('lists all unknown names at once', () => {
    const message = messageOf({ nodeMonitorPeriod: 'x', controllers: 'Y', nodeMonitorGracePeroid: '50s' });
    expect(message.split('\n')).toEqual([
      'Invalid settings of Rollcall:',
      expect.stringContaining(
        'nodeMonitorGracePeroid: "50s" is not a setting; the settings are nodeMonitorPeriod,',
      ),
      expect.stringContaining('nodeMonitorPeriod: "x"'),
      expect.stringContaining('controllers: "Y"'),
    ]);
  });

  it.each([
    {
      given: { nodeMonitorGracePeriod: '9s' },
      says: 'nodeMonitorGracePeriod: 9s is less than twice nodeMonitorPeriod (5s); set it to 10s or more',
    },
    {
      given: { nodeMonitorPeriod: '35s', nodeMonitorGracePeriod: '70s' },
      says: 'nodeStartupGracePeriod: 1m is less than twice nodeMonitorPeriod (35s); set it to 1m10s or more',
    },
    {
      given: { heartbeatInterval: '16s' },
      says: 'heartbeatInterval: 16s is more than three eighths of nodeMonitorGracePeriod (40s); set it to 15s or less',
    },
    {
      given: { heartbeatRetention: '1h', nodeMonitorGracePeriod: '31m' },
      says: 'heartbeatRetention: 1h is less than twice nodeMonitorGracePeriod (31m); set it to 1h2m or more',
    },
  ])('refuses values that contradict each other: $says', ({ given, says }) => {
    expect(messageOf(given)).toContain(says);
  });
});
