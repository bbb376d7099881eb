import { parseConfiguration } from '../../shared/settings/aws/configuration.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';
import type { Cursor, Field } from './yaml-fields.ts';
import { entriesOf, ScenarioError } from './yaml-fields.ts';

/** The field of a scenario for settings, with Kubernetes' names as in docs/reference/settings.md. */
export const CONFIGURATION: Field<Readonly<Record<string, unknown>>> = {
  accepts: 'a map of settings by Kubernetes’ names, such as nodeEvictionRate: 0.1',
  read: (at) => {
    const entries = entriesOf(at, CONFIGURATION.accepts);
    // Each setting alone first, so that an error names its line. Then all, because settings can contradict each other.
    for (const { name, value } of entries) check({ [name]: value.node?.toJSON() }, value, isOfOneSetting);
    const given = Object.fromEntries(entries.map(({ name, value }) => [name, value.node?.toJSON()]));
    check(given, at, () => true);
    return given;
  },
};

const isOfOneSetting = (message: string): boolean =>
  message.includes(' is refused; ') || message.includes(' is not a setting');

const check = (
  given: Readonly<Record<string, unknown>>,
  at: Cursor,
  isReported: (message: string) => boolean,
): void => {
  try {
    parseConfiguration(given);
  } catch (error) {
    if (!(error instanceof InvalidSettingsError) || !isReported(error.message)) return;
    const [, reason = error.message] = /\n {2}- (.*)$/s.exec(error.message) ?? [];
    throw new ScenarioError(`${at.lineOf(at.node?.range?.[0] ?? at.offset)}: ${reason}`);
  }
};
