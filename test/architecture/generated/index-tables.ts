/** Tables in hand-written pages whose rows stand elsewhere: the decisions, and the types of events. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { EVENT_TYPES } from '../../../shared/settings/events/event-types.ts';
import { schemaOf } from '../../support/objects/event-schemas.ts';
import { code, tableOf } from './markdown.ts';

const statusOf = (page: string): string => {
  const [, status = ''] = /^Status: ((?:.+\n)+)/m.exec(page) ?? [];
  const [words = ''] = /^(Accepted|Partly superseded|Superseded)/.exec(status) ?? [];
  const laters = [...status.matchAll(/\[(\d+)\]/g)].map(([, later = '']) => later);
  return laters.length === 0 ? words : `${words} by ${laters.join(' and ')}`;
};

const decisionRow = (path: string): readonly string[] => {
  const page = readFileSync(path, 'utf8');
  const [, number = '', title = ''] = /^# (\d+)\. (.*)$/m.exec(page) ?? [];
  return [`[${number}](${basename(path)})`, title, statusOf(page)];
};

/** The index of the decisions: number, title and status, as their pages have them. */
export const decisionsTable = (): string =>
  tableOf(['page', 'decision', 'status'], globSync('docs/adr/0*.md').toSorted().map(decisionRow));

/** The types of events, with severities and description of their schemas. */
export const eventsTable = (): string =>
  tableOf(
    ['type', 'severity', 'what has happened'],
    EVENT_TYPES.map((type) => {
      const { properties, description } = schemaOf(type);
      return [
        `[${code(type)}](events/${type}.schema.json)`,
        properties.severity.enum.map(code).join(', '),
        description,
      ];
    }),
  );
