// A prebuilt extension of JupyterLab, written by hand: two plugins, and for RISE a form.
// JupyterLab and RISE load this file, call init() with the modules that they share, and ask
// get('./extension') for the plugins and get('./mime') for what renders outputs.

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
  .jp-Notebook-footer { display: none !important; }
  .reveal .slides section :is(h1, h2, h3, h4) { text-transform: none; letter-spacing: normal; }
  .reveal .jp-RenderedHTMLCommon, .reveal .widget-html-content { font-size: 22px; line-height: 1.4; }
  .reveal .jp-RenderedHTMLCommon :is(td, th, summary), .reveal .widget-label { font-size: 20px; }
  .before-bert-prediction { border-left: 4px solid #0072b2; padding: 4px 16px; line-height: 1.5; }
  .before-bert-prediction, .before-bert-prediction :is(input, button) { font-size: 22px; }
  .before-bert-prediction :is(label, output) { display: block; }
`;

const onTheWall = {
  id: 'before-bert:on-the-wall',
  autoStart: true,
  activate: app => {
    if (app.name === 'Rise') {
      rise = app;
      document.head.append(Object.assign(document.createElement('style'), { textContent: ON_THE_WALL }));
    }
  }
};

// RISE's page lacks a module that the widgets' own extension needs, so a prediction has no widget
// there. This form asks the kernel for the same: it calls predict(..., guess=...).
const PREDICTION = 'application/vnd.before-bert.prediction+json';
let rise;
let shared;

const onRise = () =>
  JSON.parse(document.getElementById('jupyter-config-data').textContent).appName === 'Rise';

// What predict() says to a guess. JSON's lists and strings are Python's, too.
async function record({ key, question, options, unit }, guess) {
  const kernel = rise.shell.currentWidget.context.sessionContext.session?.kernel;
  if (!kernel) {
    return 'Not recorded: no kernel runs.';
  }
  const said =
    `__import__("autograde").predict(${JSON.stringify(key)}, ${JSON.stringify(question)}, ` +
    `options=${JSON.stringify(options)}, unit=${JSON.stringify(unit)}, ` +
    `guess=${JSON.stringify(guess)})`;
  const asked = { code: '', silent: true, store_history: false, user_expressions: { said } };
  const { content } = await kernel.requestExecute(asked).done;
  const answer = content.user_expressions?.said;
  return answer?.data?.['text/plain'] ?? `Not recorded: ${answer?.evalue ?? content.status}.`;
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function predictionForm(asked) {
  const choices = asked.options.map(value =>
    element('label', {}, element('input', { type: 'radio', name: asked.key, value }), ` ${value}`)
  );
  const number = element('input', { type: 'text', inputMode: 'decimal', size: 8, name: asked.key });
  const written = element('label', {}, 'Your guess ', number, ` ${asked.unit}`);
  const said = element('output');
  const form = element(
    'form',
    { className: 'before-bert-prediction' },
    element('strong', {}, 'Your prediction? '),
    asked.question,
    ...(choices.length ? choices : [written]),
    element('button', { type: 'submit' }, 'Record'),
    said
  );
  form.dataset.lmSuppressShortcuts = 'true'; // else RISE and the notebook take what is typed
  form.addEventListener('keydown', event => event.stopPropagation());
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const guess = new FormData(form).get(asked.key);
    said.textContent = guess ? await record(asked, guess) : 'Choose or write an answer first.';
  });
  return form;
}

async function predictionRenderers() {
  if (!onRise()) {
    return []; // JupyterLab shows the widget
  }
  const [{ get }] = Object.values(shared['@lumino/widgets']);
  const { Widget } = (await get())();
  class PredictionForm extends Widget {
    async renderModel(model) {
      this.node.replaceChildren(predictionForm(model.data[PREDICTION]));
    }
  }
  const createRenderer = () => new PredictionForm();
  const rendererFactory = { safe: true, mimeTypes: [PREDICTION], createRenderer };
  return [{ id: 'before-bert:prediction', rendererFactory, rank: 0, dataType: 'json' }];
}

window._JUPYTERLAB = window._JUPYTERLAB || {};
window._JUPYTERLAB['before-bert'] = {
  init: scope => {
    shared = scope;
  },
  get: async module => {
    const found = module === './mime' ? await predictionRenderers() : [narrowWindow, onTheWall];
    return () => ({ __esModule: true, default: found });
  }
};
