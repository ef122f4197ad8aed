// A prebuilt extension of JupyterLab, written by hand: one plugin that needs no other.
// JupyterLab loads this file, calls init(), and asks get('./extension') for the plugins.

// Below this width, in CSS pixels, the file browser leaves too little for a lesson's lines.
const NARROW = 1000;

const plugin = {
  id: 'before-bert:narrow-window',
  autoStart: true,
  activate: app => {
    app.restored.then(() => {
      if (window.innerWidth < NARROW) {
        app.shell.collapseLeft();
      }
    });
  }
};

window._JUPYTERLAB = window._JUPYTERLAB || {};
window._JUPYTERLAB['before-bert'] = {
  init: () => {},
  get: async () => () => ({ __esModule: true, default: plugin })
};
