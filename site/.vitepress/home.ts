/** The landing page above the list of all pages, which is docs/README.md. */
export const home = {
  layout: 'home',
  hero: {
    name: 'Integration Gateway',
    tagline:
      'A REST server that can replace the provider side of PeopleSoft Integration Broker: the same URLs, the same bytes.',
    actions: [
      { theme: 'brand', text: 'Your first operation', link: '/tutorial/first-operation' },
      { theme: 'alt', text: 'How it works', link: '/explanation/architecture' },
      { theme: 'alt', text: 'Why was a call refused?', link: '/how-to/questions' },
    ],
  },
  features: [
    {
      title: 'Write handlers',
      details: 'JSON, XML, tables, streams, jobs and tests, in TypeScript.',
      link: '/how-to/handlers',
    },
    {
      title: 'Move from the original',
      details: 'Record it, pass calls on, take over one operation at a time.',
      link: '/how-to/moving',
    },
    { title: 'Operate', details: 'Deploy, monitor, back up; revisions and rollback.', link: '/how-to/operating' },
    {
      title: 'Administer',
      details: 'The console, roles, sign-in, API tokens and the audit.',
      link: '/how-to/administration',
    },
    {
      title: 'Look it up',
      details: 'Settings, refusals, commands and fields, by name: press Ctrl-K.',
      link: '/reference/settings',
    },
    {
      title: 'The promise',
      details: 'The behaviour in numbered paragraphs, each with a test.',
      link: '/reference/specification',
    },
  ],
}
