/** The variables about sinks of events. They are apart from the others, because every function bundles those. */
import * as z from 'zod/mini';
import { parseSinkFilters } from '../events/sink-filters.ts';
import { text } from './env.ts';

/** A sink as its sender knows it: what does not pass its filter was not stored. */
export interface StoredSink {
  readonly name: string;
  readonly url: string;
  readonly isGrouped: boolean;
  readonly keySecretArn?: string;
}

/** The sinks of events, as JSON, for the function that sends to them. */
export const EventSinkVariables = {
  EVENT_SINKS: z.pipe(
    text('the sinks of events as JSON'),
    // The stack writes it from a configuration that was checked.
    z.transform((value: string): readonly StoredSink[] => JSON.parse(value)),
  ),
};

/** The filters of sinks, for functions that store events for them. */
export const EventFilterVariables = {
  EVENT_FILTERS: z.pipe(text('"none", or the filters of sinks'), z.transform(parseSinkFilters)),
};
