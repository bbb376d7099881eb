/** What a view says that has no node to show: it is loading, nothing has registered, nothing is selected, or it cannot be read. Each with what to do next. */
import { html, type TemplateResult } from 'lit';
import { EMPTINESS_STEPS, emptinessOf } from '../live/emptiness.ts';
import { standingText } from '../live/standing.ts';
import type { LiveStore } from '../live/store.ts';

/** The text. */
export const emptyText = ({ hearing, selectors }: LiveStore): TemplateResult => {
  const standing = hearing.standing();
  const why = standing.is === 'live' ? '' : standingText(standing);
  return html`<p class="empty" role="status">${why}${EMPTINESS_STEPS[emptinessOf(standing, selectors())]}</p>`;
};
