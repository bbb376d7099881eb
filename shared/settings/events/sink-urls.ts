/** URLs that get events, as they are given in settings: texts with filters behind a `#`, or a list of them and of objects. */
import { isObject } from '../../kube/json/json-object.ts';
import { type EventFilter, FILTER_FIELDS, failSetting, filterIn, type SinkFields } from './event-filter.ts';

/** What all URLs have that get events, on a host and on AWS. */
export interface SinkUrl {
  /** Without a fragment. */
  readonly url: string;
  readonly filter: EventFilter;
  /** Whether events of a zone are told together. */
  readonly isGrouped: boolean;
}

/** A URL, and the fields that only one place has, such as `keyFile`. */
export interface GivenUrl extends SinkUrl {
  readonly fields: SinkFields;
}

/** Refuses fields with other names. */
export const checkFields = (setting: string, fields: SinkFields, names: readonly string[]): void => {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined)
    failSetting(
      setting,
      `${JSON.stringify(unknown)} is no field of a sink; the fields are ${names.join(', ')}`,
    );
};

/** The sinks of a JSON list; `undefined`: the text is none. */
export const listedSinks = (setting: string, text: string): readonly SinkFields[] | undefined => {
  if (!text.trimStart().startsWith('[')) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return failSetting(setting, String(error));
  }
  if (!Array.isArray(list)) return failSetting(setting, 'must be a list');
  return list.map((one: unknown) => {
    if (typeof one === 'string') return { url: one };
    return isObject(one) ? one : failSetting(setting, `${JSON.stringify(one)} is no sink`);
  });
};

const camel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const urlOf = (setting: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return failSetting(
      setting,
      `${JSON.stringify(text)} is refused; give a URL with http: or https:, without credentials`,
    );
  return url;
};

/** Whether a field `group` switches groups off. */
export const isOff = (group: unknown): boolean => ['off', 'false'].includes(String(group));

const sinkUrl = (setting: string, given: SinkFields, own: readonly string[]): GivenUrl => {
  const url = urlOf(setting, String(given['url']));
  const fragment = [...new URLSearchParams(url.hash.slice(1))].map(([name, value]) => [camel(name), value]);
  const fields: SinkFields = { ...given, ...Object.fromEntries(fragment) };
  checkFields(setting, fields, ['url', ...FILTER_FIELDS, 'group', ...own]);
  url.hash = '';
  return {
    url: url.href,
    filter: filterIn(setting, fields),
    isGrouped: !isOff(fields['group'] ?? 'on'),
    fields,
  };
};

/**
 * Reads a setting: URLs separated by spaces, or a JSON list. `own`: the names of further fields that this place knows. Throws an
 * `InvalidSettingsError`.
 */
export const sinkUrls = (setting: string, text: string, own: readonly string[]): readonly GivenUrl[] => {
  const texts = text.split(/\s+/).filter((url) => url !== '');
  const given = listedSinks(setting, text) ?? texts.map((url): SinkFields => ({ url }));
  const urls = given.map((one) => sinkUrl(setting, one, own));
  const twice = urls.find(({ url }, place) => urls.findIndex((other) => other.url === url) !== place);
  if (twice) failSetting(setting, `${new URL(twice.url).host} is given twice with the same URL`);
  return urls;
};
