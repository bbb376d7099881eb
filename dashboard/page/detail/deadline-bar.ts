/** A bar for the time that is left. It says nothing that the text beside it does not say. */
import { html, svg } from 'lit';

/** `left`: the share that is left, from 0 to 1. `className`: what the page calls that part. */
export const deadlineBar = (left: number, className: 'deadline-held' | 'deadline-left') =>
  html`<svg class="deadline" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
  ${svg`<rect width="100" height="8" class="deadline-gone" /><rect width=${100 * left} height="8" class=${className} />`}
</svg>`;
