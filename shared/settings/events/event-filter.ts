/** Which events a subscriber asks for, as it is given in settings. */
import { type LabelRequirement, parseLabelSelector } from '../../kube/selector/label-selector.ts';
import { InvalidSettingsError } from '../invalid-settings.ts';
import { EVENT_TYPES, type EventType, SEVERITIES, type Severity } from './event-types.ts';

/** What a subscriber asks for. Absent members ask for everything. */
export interface EventFilter {
  readonly types?: readonly EventType[];
  /** Names of zones. An event that is about no zone passes only without this. */
  readonly zones?: readonly string[];
  /** Labels of the node. An event that is about no node passes only without this. */
  readonly selector?: readonly LabelRequirement[];
  readonly severity: Severity;
}

/** The fields of a sink by their names, as they are given. */
export type SinkFields = Readonly<Record<string, unknown>>;

/** The fields that filter. */
export const FILTER_FIELDS: readonly string[] = ['types', 'zones', 'selector', 'severity'];

/** Throws an `InvalidSettingsError` that begins with the name of the setting. */
export const failSetting = (setting: string, problem: string): never => {
  throw new InvalidSettingsError(`${setting}: ${problem}`);
};

/** The texts of a list, or of a text with commas. */
export const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : String(value).split(','))
    .map((one) => String(one).trim())
    .filter((one) => one !== '');

/** `NodeLost`, `node-lost` and `dev.rollcall.NodeLost` are the same. */
const typeOf = (setting: string, name: string): EventType => {
  const plain = name
    .replace(/^dev\.rollcall\./, '')
    .replaceAll(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
  const type = EVENT_TYPES.find((one) => one === plain);
  return (
    type ??
    failSetting(
      setting,
      `${JSON.stringify(name)} is no type of events; the types are ${EVENT_TYPES.join(', ')}`,
    )
  );
};

const severityOf = (setting: string, value: unknown): Severity => {
  const severity = SEVERITIES.find((one) => one === value);
  return (
    severity ??
    failSetting(setting, `the severity ${JSON.stringify(value)} is none of ${SEVERITIES.join(', ')}`)
  );
};

const selectorOf = (setting: string, value: unknown): NonNullable<EventFilter['selector']> => {
  try {
    return parseLabelSelector(String(value));
  } catch (error) {
    return failSetting(
      setting,
      `the selector ${JSON.stringify(value)} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

/**
 * Who names types wants all of them; everybody else what needs a person, or has ended such a need. Throws an `InvalidSettingsError` if a field cannot be
 * read.
 */
export const filterIn = (setting: string, { types, zones, selector, severity }: SinkFields): EventFilter => ({
  severity: severityOf(setting, severity ?? (types === undefined ? 'resolved' : 'info')),
  ...(types === undefined ? {} : { types: textsIn(types).map((name) => typeOf(setting, name)) }),
  ...(zones === undefined ? {} : { zones: textsIn(zones) }),
  ...(selector === undefined ? {} : { selector: selectorOf(setting, selector) }),
});
