/** Presses the button of the dashboard's link, as a person does. */
export const openDashboard = (link: string): Promise<Response> => {
  const { origin, searchParams } = new URL(link);
  return fetch(`${origin}/`, { method: 'POST', body: searchParams, redirect: 'manual' });
};
