/** The order in which stored events are told, where several processes with clocks of their own have stored them. */

/** An event as it was stored. */
export interface Stored {
  readonly id: string;
  readonly subject: string;
}

/** The revision of an event about an object, whose id is `<uid>/<revision>/<type>`; `undefined`: it is about none. */
const revisionOf = ({ id, subject }: Stored): number | undefined => {
  const revision = /^(node|pod)\//.test(subject) ? Number(id.split('/')[1]) : Number.NaN;
  return Number.isSafeInteger(revision) ? revision : undefined;
};

const byRevision = (one: Stored, other: Stored): number => (revisionOf(one) ?? 0) - (revisionOf(other) ?? 0);

const hasRevisions = (events: readonly Stored[]): boolean =>
  events.every((event) => revisionOf(event) !== undefined);

/**
 * Drops repetitions, of which the first one counts, and puts the events of each subject into the order of their revisions, in the places that they have
 * together. `events` is in the order in which clocks have stored them.
 */
export const inOrder = <Event extends Stored>(events: readonly Event[]): readonly Event[] => {
  const first = new Map<string, Event>();
  for (const event of events) if (!first.has(event.id)) first.set(event.id, event);
  const bySubject = Map.groupBy(first.values(), ({ subject }) => subject);
  const next = new Map(
    [...bySubject].map(([subject, own]) => [
      subject,
      (hasRevisions(own) ? own.toSorted(byRevision) : own).values(),
    ]),
  );
  return [...first.values()].map((event) => next.get(event.subject)?.next().value ?? event);
};
