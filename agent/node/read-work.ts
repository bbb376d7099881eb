/** Reads the work of the node: all pages of an answer, or nothing. */

import type { WorkSource } from '../ports/api/work-source.ts';
import {
  joinedPages,
  type NodeWork,
  parseWorkPage,
  type WorkOwner,
  type WorkPage,
} from '../rules/registration/node-work.ts';

export interface ReadWork {
  readonly work: NodeWork;
  /** Asks whether something has changed; absent: that cannot be asked. */
  readonly etag?: string;
}

const parsed = (body: unknown, owner: WorkOwner, first?: WorkPage): WorkPage => {
  const page = parseWorkPage(body, owner, first);
  if ('fault' in page) throw new Error(page.fault);
  return page;
};

const furtherPages = async (
  source: WorkSource,
  owner: WorkOwner,
  first: WorkPage,
): Promise<readonly WorkPage[]> => {
  const pages: WorkPage[] = [];
  for (let { next } = first; next !== undefined; next = pages.at(-1)?.next) {
    const answer = await source.page(next);
    if (answer === 'unchanged') throw new Error('a page is "unchanged" that was not known');
    pages.push(parsed(answer.body, owner, first));
  }
  return pages;
};

/**
 * Rejects unless the whole answer came, from the right cluster. The `etag` is that of the first page, so it says nothing about an answer that
 * has several.
 */
export const readWork = async (
  source: WorkSource,
  owner: WorkOwner,
  etag?: string,
): Promise<ReadWork | 'unchanged'> => {
  const answer = await source.page(undefined, etag);
  if (answer === 'unchanged') return 'unchanged';
  const first = parsed(answer.body, owner);
  const rest = await furtherPages(source, owner, first);
  const work = joinedPages(first, rest);
  return rest.length === 0 && answer.etag !== undefined ? { work, etag: answer.etag } : { work };
};
