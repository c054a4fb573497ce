import os, sys

sys.path.insert(0, os.path.join(os.environ["ZYXC_PREFIX"], "share/zyxc/lit"))
import zyxc_lit

config.name = "mine"
zyxc_lit.configure(config)
