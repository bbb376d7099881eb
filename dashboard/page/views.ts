/** The views of the page, in the order of its menu. */
import type { View } from './contract/view.ts';
import { nodeView, podView } from './views/detail.ts';
import { nodeHistoryView, zoneHistoryView } from './views/histories.ts';
import { timelineView } from './views/timeline.ts';
import { wallView } from './views/wall.ts';
import { whatIfView } from './views/what-if.ts';
import { zonesView } from './views/zones.ts';

export const VIEWS: readonly View[] = [
  ...[wallView, zonesView, timelineView, whatIfView],
  ...[nodeView, podView, nodeHistoryView, zoneHistoryView],
];
