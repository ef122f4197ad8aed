// A prebuilt extension of JupyterLab, written by hand: two plugins that need no other.
// JupyterLab and RISE load this file, call init(), and ask get('./extension') for the plugins.

// Below this width, in CSS pixels, the file browser leaves too little for a lesson's lines.
const NARROW = 1000;

const narrowWindow = {
  id: 'before-bert:narrow-window',
  autoStart: true,
  activate: app => {
    app.restored.then(() => {
      if (app.shell.collapseLeft && window.innerWidth < NARROW) {
        app.shell.collapseLeft();
      }
    });
  }
};

// A room reads from far away: text and code of RISE's slides, in CSS pixels.
const ON_THE_WALL = `
  body { --jp-content-font-size1: 22px; --jp-code-font-size: 20px; --jp-ui-font-size1: 20px; }
  .reveal :is(h1, h2, h3, h4) { text-transform: none; letter-spacing: normal; }
  .reveal .jp-RenderedHTMLCommon, .reveal .widget-html-content { font-size: 22px; line-height: 1.4; }
  .reveal .jp-RenderedHTMLCommon :is(td, th, summary), .reveal .widget-label { font-size: 20px; }
`;

const onTheWall = {
  id: 'before-bert:on-the-wall',
  autoStart: true,
  activate: app => {
    if (app.name === 'Rise') {
      document.head.append(Object.assign(document.createElement('style'), { textContent: ON_THE_WALL }));
    }
  }
};

window._JUPYTERLAB = window._JUPYTERLAB || {};
window._JUPYTERLAB['before-bert'] = {
  init: () => {},
  get: async () => () => ({ __esModule: true, default: [narrowWindow, onTheWall] })
};
