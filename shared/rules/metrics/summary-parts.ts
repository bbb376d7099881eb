/** Cuts a Summary into parts that are parsed one after the other: a whole one may take longer than other work can wait. */
import { endOfString } from '../../kube/json/json-members.ts';

/** Where a pod stands in the text, and how many JSON values it has. */
export interface PodPart {
  readonly from: number;
  readonly to: number;
  readonly values: number;
}

/** The Summary without its pods, and its pods. */
export interface SummaryParts {
  readonly rest: string;
  readonly pods: readonly PodPart[];
}

interface Scan {
  readonly pods: PodPart[];
  depth: number;
  values: number;
  /** The member of the Summary that is read. */
  member: string;
  /** Where the list of pods begins and ends; -1: not seen yet. */
  listFrom: number;
  listTo: number;
  podFrom: number;
  valuesBefore: number;
}

const [QUOTE, COMMA] = [34, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** Depths of the Summary's own members, and of the members of its lists. */
const [MEMBER, ELEMENT] = [1, 2];

const isInList = ({ listFrom, listTo }: Scan): boolean => listFrom >= 0 && listTo < 0;

const open = (scan: Scan, at: number, isList: boolean): void => {
  if (scan.depth === MEMBER && isList && scan.member === 'pods' && scan.listFrom < 0) scan.listFrom = at;
  else if (scan.depth === ELEMENT && isInList(scan)) {
    scan.podFrom = at;
    scan.valuesBefore = scan.values;
  }
  scan.depth += 1;
  scan.values += 1;
};

const close = (scan: Scan, at: number): void => {
  scan.depth -= 1;
  if (scan.depth === ELEMENT && isInList(scan))
    scan.pods.push({ from: scan.podFrom, to: at + 1, values: scan.values - scan.valuesBefore });
  else if (scan.depth === MEMBER && isInList(scan)) scan.listTo = at;
};

const step = (scan: Scan, text: string, at: number): number => {
  const code = text.charCodeAt(at);
  if (code === QUOTE) {
    const end = endOfString(text, at);
    if (scan.depth === MEMBER) scan.member = text.slice(at + 1, end);
    return end;
  }
  if (code === OPEN_OBJECT || code === OPEN_LIST) open(scan, at, code === OPEN_LIST);
  else if (code === CLOSE_OBJECT || code === CLOSE_LIST) close(scan, at);
  else if (code === COMMA) scan.values += 1;
  return at;
};

const newScan = (): Scan => ({
  pods: [],
  depth: 0,
  values: 1,
  member: '',
  listFrom: -1,
  listTo: -1,
  podFrom: -1,
  valuesBefore: 0,
});

/** Cuts in one pass. The text may be invalid JSON: then its parts are, or they are as if what stands between them were valid. */
export const summaryParts = (text: string): SummaryParts => {
  const scan = newScan();
  for (let at = 0; at < text.length; at += 1) at = step(scan, text, at);
  if (scan.listTo < 0) return { rest: text, pods: [] };
  return {
    rest: `${text.slice(0, scan.listFrom)}[]${text.slice(scan.listTo + 1)}`,
    pods: scan.pods,
  };
};
