import { describe, expect, it } from 'vitest';
import { LABEL_VALUES, RUNS } from '../../cli/cost/measured.ts';
import { type Assembly, synth } from './assembly.ts';
import { TEMPLATES } from './configurations.ts';
import { stackUnits } from './stack-units.ts';

/** Functions that no queue calls. */
const NOT_POLLED = ['apiserver', 'heartbeat', 'change-router'];

const base = synth({ profile: 'lifecycle' });

const withResource = (Type: string, Properties: Readonly<Record<string, unknown>>): Assembly => ({
  ...base,
  resources: { ...base.resources, New: { Type, Properties } },
});

describe('what rollcall cost knows of a template', () => {
  it.each(Object.keys(TEMPLATES))('is all that it bills: %s', async (name) => {
    const { functions, polledQueues } = await stackUnits(TEMPLATES[name]?.() ?? base);
    expect(Object.keys(functions)).toEqual(expect.arrayContaining(['apiserver', 'heartbeat']));
    expect(polledQueues).toBe(Object.keys(functions).filter((one) => !NOT_POLLED.includes(one)).length);
  });

  it.each<[string, Assembly, string]>([
    ['a type', withResource('AWS::StepFunctions::StateMachine', {}), 'AWS::StepFunctions::StateMachine'],
    ['a composite alarm', withResource('AWS::CloudWatch::CompositeAlarm', {}), 'CompositeAlarm'],
    [
      'an alarm on several metrics',
      withResource('AWS::CloudWatch::Alarm', { Metrics: [{}, {}] }),
      'metric math',
    ],
    [
      'an alarm of high resolution',
      withResource('AWS::CloudWatch::Alarm', { MetricName: 'm', Period: 10 }),
      'high resolution',
    ],
    ['a table', withResource('AWS::DynamoDB::Table', { BillingMode: 'BY_HOUR' }), 'BY_HOUR'],
    [
      'a schedule',
      withResource('AWS::Events::Rule', { ScheduleExpression: 'cron(0 0 * * ? *)', Targets: [] }),
      'how often',
    ],
  ])('refuses %s of which nobody has entered the price', async (_, assembly, text) => {
    await expect(stackUnits(assembly)).rejects.toThrow(text);
  });

  it.each(['full', 'lifecycle'])('has a figure for each schedule and each label: %s', async (profile) => {
    const { schedules, metrics } = await stackUnits(synth({ profile }));
    expect(Object.keys(schedules).filter((name) => RUNS[name] === undefined)).toEqual([]);
    const labels = new Set(metrics.flatMap((metric) => metric.labels));
    expect([...labels].filter((label) => label !== 'zone' && LABEL_VALUES[label] === undefined)).toEqual([]);
  });

  it('has a use for each figure', async () => {
    const { schedules, metrics } = await stackUnits(synth());
    expect(Object.keys(RUNS).toSorted()).toEqual(Object.keys(schedules).toSorted());
    const labels = metrics.flatMap((metric) => metric.labels);
    expect(Object.keys(LABEL_VALUES).filter((label) => !labels.includes(label))).toEqual([]);
  });
});
