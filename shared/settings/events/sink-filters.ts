/** Sinks as the functions that store events know them, in one variable: `<name>#<filter>` for each, separated by spaces. */
import { type EventFilter, filterIn } from './event-filter.ts';

/** A sink without its URL. */
export interface SinkFilter {
  readonly name: string;
  readonly filter: EventFilter;
  readonly isGrouped: boolean;
}

const SETTING = 'EVENT_FILTERS';

const filterOf = (text: string): SinkFilter => {
  const place = text.indexOf('#');
  const { group, ...fields } = Object.fromEntries(new URLSearchParams(text.slice(place + 1)));
  return { name: text.slice(0, place), filter: filterIn(SETTING, fields), isGrouped: group !== 'off' };
};

/** Reads the variable; `none`: there are no sinks. */
export const parseSinkFilters = (text: string): readonly SinkFilter[] =>
  text === 'none' ? [] : text.split(' ').map(filterOf);

/** The inverse of `parseSinkFilters`, for the stack. */
export const writeSinkFilters = (
  sinks: readonly { readonly name: string; readonly filterText: string }[],
): string => sinks.map(({ name, filterText }) => `${name}#${filterText}`).join(' ') || 'none';
