import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseConfiguration } from '../../../../shared/settings/aws/configuration.ts';
import {
  ApiServerVariables,
  apiServerConfig,
  apiServerEnvironment,
  countVariable,
  NodeLifecycleVariables,
  nodeLifecycleConfig,
  nodeLifecycleEnvironment,
  onOrOffVariable,
  positiveSeconds,
  ratePerSecond,
  shareVariable,
  TableVariables,
  tableNames,
  wholeSeconds,
} from '../../../../shared/settings/aws/env.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

describe('variables', () => {
  it.each([
    { name: 'positiveSeconds', schema: positiveSeconds, good: ['40', '0.5'], bad: ['0', '-1', 'forty', ''] },
    { name: 'wholeSeconds', schema: wholeSeconds, good: ['0', '300'], bad: ['1.5', '-1', ''] },
    { name: 'ratePerSecond', schema: ratePerSecond, good: ['0', '0.1'], bad: ['-0.1', 'slow'] },
    { name: 'share', schema: shareVariable, good: ['0.55', '1'], bad: ['0', '1.01', 'half'] },
    { name: 'count', schema: countVariable, good: ['0', '50'], bad: ['-1', '1.5'] },
  ])('$name accepts only numbers in its range', ({ schema, good, bad }) => {
    for (const text of good) expect(z.parse(schema, text)).toBe(Number(text));
    for (const text of bad) expect(z.safeParse(schema, text).success, text).toBe(false);
  });

  it('onOrOffVariable is a switch', () => {
    expect([z.parse(onOrOffVariable, 'on'), z.parse(onOrOffVariable, 'off')]).toEqual([true, false]);
    expect(z.safeParse(onOrOffVariable, 'true').success).toBe(false);
  });

  it('hold the lifecycle configuration without loss', () => {
    const env = z.parse(z.object(NodeLifecycleVariables), nodeLifecycleEnvironment(NODE_LIFECYCLE_DEFAULTS));
    expect(nodeLifecycleConfig(env)).toEqual(NODE_LIFECYCLE_DEFAULTS);
  });

  it.each([[], ['ExtendedResourceToleration', 'PodTolerationRestriction']])(
    'hold the settings of admission without loss: %j',
    (...plugins) => {
      const configuration = parseConfiguration({ enableAdmissionPlugins: plugins });
      const given = apiServerEnvironment(configuration);
      expect(apiServerConfig(z.parse(z.object(ApiServerVariables), given))).toMatchObject({
        defaultTolerationSeconds: 300,
        enableAdmissionPlugins: plugins,
      });
    },
  );

  it('refuse an admission plugin that is not known', () => {
    const given = {
      ...apiServerEnvironment(parseConfiguration()),
      ENABLE_ADMISSION_PLUGINS: 'Foo',
    };
    expect(z.safeParse(z.object(ApiServerVariables), given).success).toBe(false);
  });

  it('name the four tables', () => {
    const given = { OBJECTS_TABLE: 'o', CHANGES_TABLE: 'c', HEARTBEATS_TABLE: 'h', CONTROL_TABLE: 'k' };
    expect(tableNames(z.parse(z.object(TableVariables), given))).toEqual({
      objects: 'o',
      changes: 'c',
      heartbeats: 'h',
      control: 'k',
    });
  });
});
