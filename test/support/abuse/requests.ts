/** All abusive requests, of any size; each file holds those of one place. */
import type { Abuse } from './abuse.ts';
import { APPLY_ABUSES } from './applies.ts';
import { FORMAT_ABUSES } from './formats.ts';
import { HEADER_ABUSES, URL_ABUSES } from './headers.ts';
import { JSON_PATCH_ABUSES } from './json-patches.ts';
import { MERGE_PATCH_ABUSES } from './merge-patches.ts';
import { NODE_ABUSES } from './nodes.ts';
import { OBJECT_ABUSES } from './objects.ts';
import { POD_ABUSES } from './pods.ts';
import { REVIEW_ABUSES } from './reviews.ts';

export const ABUSES: readonly Abuse[] = [
  ...HEADER_ABUSES,
  ...URL_ABUSES,
  ...FORMAT_ABUSES,
  ...NODE_ABUSES,
  ...POD_ABUSES,
  ...OBJECT_ABUSES,
  ...REVIEW_ABUSES,
  ...JSON_PATCH_ABUSES,
  ...MERGE_PATCH_ABUSES,
  ...APPLY_ABUSES,
];
