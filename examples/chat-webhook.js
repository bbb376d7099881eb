#!/usr/bin/env node
// Tells a chat what needs a person: rollcall serve --on problems -- node examples/chat-webhook.js FILE
// FILE holds the URL of an incoming webhook of Slack, Mattermost or another chat that takes { "text": ... }.
// An exit code other than 0 has the event sent again.
import { readFileSync } from 'node:fs';

const SIGNS = { critical: '🔴', warning: '🟠', resolved: '🟢' };

const { data, source } = JSON.parse(readFileSync(0, 'utf8'));
const more = (data.grouped ?? []).map(
  ({ type, count, subjects }) => `${count} ${type} (${subjects.join(', ')})`,
);
const text = [`${SIGNS[data.severity] ?? '⚪'} ${data.message}`, ...more, source].join('\n');

const url = readFileSync(process.argv[2], 'utf8').trim();
const answer = await fetch(url, {
  method: 'POST',
  redirect: 'error',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text }),
  signal: AbortSignal.timeout(10_000),
});
if (!answer.ok) throw new Error(`the chat answered ${answer.status}`);
