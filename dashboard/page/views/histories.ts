/** The histories of one node and of one zone. */
import { html } from 'lit';
import '../history/node-history.ts';
import '../history/zone-history.ts';
import type { View } from '../contract/view.ts';

export const nodeHistoryView: View = {
  path: 'node-history',
  title: 'History of a node',
  isInMenu: false,
  render: ({ live }, [name = '']) => html`
    <h1>History of ${name}</h1>
    <rollcall-node-history .live=${live} .name=${name}></rollcall-node-history>`,
};

export const zoneHistoryView: View = {
  path: 'zone-history',
  title: 'History of a zone',
  isInMenu: false,
  render: ({ live }, [zone = '']) => html`
    <h1>Zone ${zone} in the last hour</h1>
    <rollcall-zone-history .live=${live} .zone=${zone}></rollcall-zone-history>`,
};
