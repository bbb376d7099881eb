import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentOf, functionsByName, ofType, synth, target, WITH_SINK } from './assembly.ts';

const environment = (settings: Readonly<Record<string, unknown>>, folder: string) => {
  const fn = functionsByName(synth(settings)).get(folder);
  if (!fn) throw new Error(`no function ${folder}`);
  return { fn, variables: environmentOf(fn) };
};

const runApp = (context: Readonly<Record<string, unknown>>) =>
  spawnSync(resolve('node_modules/.bin/node'), ['cdk/app.ts'], {
    encoding: 'utf8',
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) },
  });

describe('settings in CDK context', () => {
  it('reach the functions, converted to seconds', () => {
    const settings = { nodeMonitorPeriod: '1s', nodeMonitorGracePeriod: '8s', nodeEvictionRate: '0.5' };
    const { variables } = environment(settings, 'node-monitor');
    expect(variables).toMatchObject({
      NODE_MONITOR_PERIOD_SECONDS: '1',
      NODE_MONITOR_GRACE_PERIOD_SECONDS: '8',
      NODE_STARTUP_GRACE_PERIOD_SECONDS: '60',
      NODE_EVICTION_RATE: '0.5',
    });
    expect(environment(settings, 'heartbeat').variables).toMatchObject({
      NODE_MONITOR_GRACE_PERIOD_SECONDS: '8',
      HEARTBEAT_INTERVAL_SECONDS: '2',
    });
  });

  it.each(['apiserver', 'workloads'])('switch on admission plugins in %s', (folder) => {
    const plugins = (settings: Readonly<Record<string, unknown>>) =>
      environment(settings, folder).variables['ENABLE_ADMISSION_PLUGINS'];
    expect(plugins({})).toBe('none');
    const both = 'ExtendedResourceToleration,PodTolerationRestriction';
    expect(plugins({ enableAdmissionPlugins: both })).toBe(both);
  });

  it.each(['heartbeat', 'apiserver'])('limit the concurrency of %s, and so the cost of a flood', (folder) => {
    const reserved = (settings: Readonly<Record<string, unknown>>) =>
      environment(settings, folder).fn.Properties['ReservedConcurrentExecutions'];
    expect(reserved({})).toBe(50);
    expect(reserved({ [`${folder}ReservedConcurrency`]: '100' })).toBe(100);
    // Small accounts have no concurrency to reserve.
    expect(reserved({ [`${folder}ReservedConcurrency`]: 'none' })).toBeUndefined();
  });

  it.each([
    [{}, 'RESPONSE_STREAM', 'on', 330],
    [{ apiserverInvokeMode: 'buffered' }, 'BUFFERED', 'off', 60],
  ])('choose between streaming and long polls: %j', (settings, mode, variable, seconds) => {
    const { fn, variables } = environment(settings, 'apiserver');
    expect(variables['RESPONSE_STREAM']).toBe(variable);
    // The longest watch takes 50 s when buffered and 5 min when streamed.
    expect(fn.Properties['Timeout']).toBe(seconds);
    const urls = ofType(synth(settings), 'AWS::Lambda::Url');
    const modes = urls.map(([, { Properties }]) => Properties['InvokeMode']);
    expect(new Set(modes)).toEqual(new Set(['BUFFERED', mode]));
  });

  it('pause the stack: neither queues, the stream, schedules nor requests start a function', () => {
    const isStarted = (settings: Readonly<Record<string, unknown>>) => {
      const assembly = synth({ ...settings, ...WITH_SINK });
      const properties = (type: string) => ofType(assembly, type).map(([, { Properties }]) => Properties);
      const urls = properties('AWS::Lambda::Url').map((url) => target(url['TargetFunctionArn']));
      return {
        sources: new Set(properties('AWS::Lambda::EventSourceMapping').map(({ Enabled }) => Enabled)),
        rules: new Set(properties('AWS::Events::Rule').map(({ State }) => State)),
        public: urls.map((id) => assembly.resources[id]?.Properties['ReservedConcurrentExecutions']),
        output: assembly.outputs['Paused'] !== undefined,
      };
    };
    // Said in both cases: on AWS an event source whose template no longer says that it is disabled stays so.
    expect(isStarted({})).toEqual({
      sources: new Set([true]),
      rules: new Set(['ENABLED']),
      public: [50, 50],
      output: false,
    });
    expect(isStarted({ paused: 'true', apiserverReservedConcurrency: 'none' })).toEqual({
      sources: new Set([false]),
      rules: new Set(['DISABLED']),
      public: [0, 0],
      output: true,
    });
  });

  it('have metrics by zone emitted, or not', () => {
    const variableOf = (settings: object) =>
      environment({ ...settings }, 'node-monitor').variables['ZONE_METRICS'];
    expect([variableOf({}), variableOf({ zoneMetrics: 'on' })]).toEqual([undefined, 'on']);
  });

  it('give every function a new version when the release changes', () => {
    const functions = functionsByName(synth({ release: 'two' }));
    for (const [folder, fn] of functions) expect(environmentOf(fn)['RELEASE'], folder).toBe('two');
  });

  it('stop the synthesis if one is invalid, with a message that names each of them and has no stack trace', () => {
    const { status, stderr } = runApp({
      nodeMonitorPeriod: '0.5s',
      controllers: 'Some',
      nodeMonitorGracePeroid: '50s',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Invalid settings of Rollcall:\n {2}- nodeMonitorGracePeroid: "50s" is not a setting/,
    );
    expect(stderr).toContain('nodeMonitorPeriod: "0.5s" is refused; give a duration of 1s to 1m');
    expect(stderr).toContain('controllers: "Some" is refused; give "all", "none", or names of controllers');
    expect(stderr).not.toContain('at ');
  });
});
