/** How the page stands to what it shows, and what it says of that. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { timeOfDay } from '../../../shared/rules/roll-call/units.ts';
import type { SourceState } from '../../wire/source.ts';

/** How the page stands to its own server. `quiet`: it does not answer. `refused`: it answers that it will not say what is asked. */
export type Connection =
  | { readonly is: 'connecting' | 'not allowed' }
  | { readonly is: 'open' }
  | { readonly is: 'quiet'; readonly since: EpochMs; readonly isOffline: boolean }
  | { readonly is: 'refused'; readonly reason: string };

/** What the page knows of its sources, by the server's clock but for the instants of `connection`. */
export interface Known {
  readonly connection: Connection;
  /** As the server said last; absent: it has said nothing yet. */
  readonly source?: SourceState | undefined;
  /** Whether everything has come since the page is connected. */
  readonly isWhole: boolean;
}

/** How what is shown stands. Only of what is `live` anything is forecast. */
export type Standing =
  | { readonly is: 'connecting' | 'reading' | 'live' | 'catching up' | 'not allowed' }
  | { readonly is: 'lost'; readonly who: 'page' | 'API'; readonly since: EpochMs; readonly reason: string }
  | { readonly is: 'refused'; readonly who: 'page' | 'API'; readonly reason: string };

const ofSource = ({ source, isWhole }: Known): Standing => {
  if (!source) return { is: 'connecting' };
  const { is, asOf, since = asOf, reason = '' } = source;
  if (is === 'lost') return { is, who: 'API', since, reason };
  if (is === 'refused') return { is, who: 'API', reason };
  return is === 'live' && !isWhole ? { is: 'catching up' } : { is };
};

const OFFLINE = 'this browser is offline';
const NO_SERVER =
  'the rollcall dashboard or serve that served this page has stopped, or hangs: look at its terminal';

/** What holds of the page. */
export const standingOf = (known: Known): Standing => {
  const { connection } = known;
  if (connection.is === 'open') return ofSource(known);
  if (connection.is === 'refused') return { ...connection, who: 'page' };
  if (connection.is !== 'quiet') return connection;
  const { since, isOffline } = connection;
  return { is: 'lost', who: 'page', since, reason: isOffline ? OFFLINE : NO_SERVER };
};

const WHO = { page: 'The server of this page', API: 'The API' } as const;

type Quiet = Exclude<Standing['is'], 'lost' | 'refused'>;

const TEXTS: Readonly<Record<Quiet, string>> = {
  connecting: 'Connecting to the server of this page…',
  reading: 'Reading the fleet from the API…',
  live: 'Live',
  'catching up': 'The API answers again. Reading what has changed…',
  'not allowed': 'This page has no session. Open the link that the terminal of rollcall dashboard shows.',
};

/** What the page says of it, in a line. It does not change by the clock alone: readers of screens read each change aloud. */
export const standingText = (standing: Standing): string => {
  if (standing.is === 'refused')
    return `${standing.who === 'page' ? 'Refused' : 'The API refuses what this page shows'}: ${standing.reason}`;
  if (standing.is !== 'lost') return TEXTS[standing.is];
  const { who, since, reason } = standing;
  const silence = `${WHO[who]} has not answered since ${timeOfDay(since)}`;
  return `${silence}${reason === '' ? '' : `: ${reason}`}. What you see is of then.`;
};

/** Why nothing is forecast; `undefined`: it is. */
export const noForecastText = (standing: Standing): string | undefined => {
  if (standing.is === 'live') return undefined;
  if (standing.is === 'lost')
    return `Nothing is forecast: what has happened since ${timeOfDay(standing.since)} is not known here.`;
  return standing.is === 'refused' || standing.is === 'not allowed'
    ? 'Nothing is forecast: the fleet cannot be read.'
    : 'Nothing is forecast until everything has been read.';
};
