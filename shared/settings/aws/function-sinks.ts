/** The URLs that get events on AWS. */
import { FILTER_FIELDS, failSetting, type SinkFields, textsIn } from '../events/event-filter.ts';
import { type GivenUrl, type SinkUrl, sinkUrls } from '../events/sink-urls.ts';
import { InvalidSettingsError } from '../invalid-settings.ts';
import { SECRET_ARN } from '../settings.ts';

/** A URL that gets events. */
export interface FunctionSink extends SinkUrl {
  /** The filter as it was given, for the environment of the functions that store events: `severity=warning&zones=a,b`. */
  readonly filterText: string;
  /** The secret with the keys that sign its events; `undefined`: they are not signed. */
  readonly keySecretArn: string | undefined;
}

/** The settings that define the sinks. */
export interface SinkValues {
  readonly eventSink: string | undefined;
  readonly eventKeySecretArn: string | undefined;
}

const SETTING = 'eventSink';
/** The fields of a URL that only AWS knows. */
const OWN_FIELDS = ['keySecretArn'];

/** The variables of a function have 4 KB together. The change router, whose queues take most of that, has room for this. */
const MOST_FILTER_CHARACTERS = 450;
const MOST_SINK_CHARACTERS = 2_500;

const secretIn = (fields: SinkFields, fallback: string | undefined): string | undefined => {
  const given = fields['keySecretArn'] ?? fallback;
  if (given === undefined || (typeof given === 'string' && SECRET_ARN.test(given))) return given;
  return failSetting(SETTING, `the keySecretArn ${JSON.stringify(given)} is not the ARN of a secret`);
};

const filterTextOf = ({ fields, isGrouped }: GivenUrl): string => {
  const params = new URLSearchParams();
  for (const name of FILTER_FIELDS) {
    const value = fields[name];
    if (value !== undefined) params.set(name, textsIn(value).join(','));
  }
  if (!isGrouped) params.set('group', 'off');
  return params.toString();
};

const sum = (texts: readonly string[]): number => texts.reduce((all, { length }) => all + length, 0);

/** What a sink takes in the environment besides its filter: its name and separators. */
const namedFilter = ({ url, filterText }: FunctionSink): string =>
  `${new URL(url).hostname}-12345678#${filterText} `;

const checkRoom = (sinks: readonly FunctionSink[]): void => {
  const filters = sum(sinks.map(namedFilter));
  if (filters > MOST_FILTER_CHARACTERS)
    failSetting(
      SETTING,
      `the hosts and filters of ${sinks.length} URLs have ${filters} characters, more than the ${MOST_FILTER_CHARACTERS} that fit into the environment of a function; give fewer, or let one receiver pass events on`,
    );
  const all = sum(sinks.map((sink) => JSON.stringify(sink)));
  if (all > MOST_SINK_CHARACTERS)
    failSetting(
      SETTING,
      `the URLs have ${all} characters with their secrets, more than the ${MOST_SINK_CHARACTERS} that fit into the environment of a function; give shorter or fewer ones`,
    );
};

/** Reads the sinks. Throws an `InvalidSettingsError`. */
export const functionSinks = ({ eventSink, eventKeySecretArn }: SinkValues): readonly FunctionSink[] => {
  const sinks = sinkUrls(SETTING, eventSink ?? '', OWN_FIELDS).map((given) => {
    const { url, filter, isGrouped, fields } = given;
    const keySecretArn = secretIn(fields, eventKeySecretArn);
    return { url, filter, isGrouped, filterText: filterTextOf(given), keySecretArn };
  });
  checkRoom(sinks);
  return sinks;
};

/** Messages about sinks that cannot be read. */
export const sinkFaults = (values: SinkValues): readonly string[] => {
  try {
    functionSinks(values);
    return [];
  } catch (error) {
    if (error instanceof InvalidSettingsError) return [error.message];
    throw error;
  }
};
