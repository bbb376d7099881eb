/** The lines of a body, as they come, empty ones left out; an unfinished one at the end counts. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  // Characters may be cut between two chunks.
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

export const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
};
