// A site without a point: what to do.

import { command } from '../controls.ts';
import { h } from '../dom.ts';
import type { View } from './page.ts';

export function nothing(): View {
  return {
    title: 'Nothing yet',
    element: h(
      'div',
      {},
      h('h1', {}, 'Nothing was published yet'),
      h(
        'p',
        { class: 'lead' },
        'These pages show sessions that were measured. Measure one, then look again:',
      ),
      h(
        'p',
        {},
        command('./telar run smoke'),
        ' measures; ',
        command('./telar list suites'),
        ' names what else can be run.',
      ),
      h(
        'p',
        {},
        command('./telar serve'),
        ' shows this machine’s sessions here; ',
        command('./telar publish'),
        ' adds them to the history that others see.',
      ),
    ),
  };
}
