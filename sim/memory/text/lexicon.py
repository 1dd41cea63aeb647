"""Words that mark a text as good, bad or urgent, in English and Chinese.

The lists are this project's, for everyday life: work, money, family, health, weather, disaster.
English words are listed in all forms and match whole words in lower case. Chinese words match
anywhere, the longest first, so that 不安全 does not match 安全. Ambiguous words (like, fine,
well) are omitted. A word may be both bad and urgent. Negation is ignored: "not safe" is good.
"""

POSITIVE = """
    happy happier happily glad joy joyful cheerful delighted pleased pleasant pleasure enjoy
    enjoyed enjoying enjoyable fun laugh laughed laughing laughter smile smiled smiling love loved
    loves loving lovely beautiful wonderful great good better best excellent amazing awesome
    fantastic perfect nice success successful successfully succeed succeeded win won winner
    winning victory achieve achieved achievement promotion promoted bonus raise reward rewarded
    praise praised proud pride celebrate celebrated celebration party wedding married birthday
    gift hired graduated friend friends friendly hug hugged welcome welcomed thank thanks thankful
    grateful gratitude hope hopeful relief relieved safe safely safety calm peaceful relaxed
    rested comfortable comfort healthy healed recovered recovery saved rescued helpful helped
    kindness generous lucky luck improve improved improvement progress profit sunny delicious
""".split()  # noqa: SIM905

NEGATIVE = """
    sad sadly unhappy sorrow grief grieving cry cried crying tears lonely alone depressed hopeless
    despair misery miserable angry anger furious rage hate hated hatred annoyed upset fear afraid
    scared frightened frightening terrified panic worry worried worrying anxious anxiety stress
    stressed nervous bad worse worst terrible horrible awful poor fail failed failing failure lose
    losing lost loss losses defeat mistake mistakes wrong error problem problems trouble broken
    broke damage damaged destroyed destruction wrecked ruined ruin hurt pain painful injured
    injury injuries wounded sick ill illness disease fever hospital dead death died dying die
    killed victim victims fired unemployed layoff layoffs jobless debt debts bankrupt evicted
    eviction poverty hungry starving thirsty homeless stolen robbed theft crime attack attacked
    fight fought argued argument quarrel divorce divorced blame blamed guilty ashamed shame
    disappointed disappointing disappointment regret sorry tired exhausted danger dangerous unsafe
    threat disaster disasters hurricane hurricanes typhoon storm storms tornado flood floods
    flooded flooding earthquake tsunami wildfire fire blackout outage crisis accident crash
    crashed collapsed trapped stranded war shortage refused rejected cancelled
""".split()  # noqa: SIM905

URGENT = """
    urgent urgently urgency emergency emergencies immediate immediately instantly asap hurry
    hurried hurrying rushed quickly critical crucial vital evacuate evacuated evacuating
    evacuation evacuations flee fleeing fled escape escaping warning warnings alert alerts alarm
    alarms siren sirens danger dangerous imminent approaching landfall rescue rescuing trapped
    stranded sos mayday ambulance bleeding unconscious choking deadline overdue priority pressing
    desperate desperately lifesaving evacuees mandatory
""".split()  # noqa: SIM905

POSITIVE_CHINESE = """
    高兴 开心 快乐 愉快 幸福 喜悦 欢乐 喜欢 热爱 欣慰 满意 满足 舒服 舒适 放松 轻松 平静 安心 安全
    平安 安全感 放心 顺利 成功 胜利 赢了 获奖 奖励 奖金 加薪 涨薪 升职 晋升 录用 表扬 称赞 赞扬
    骄傲 自豪 庆祝 聚会 婚礼 结婚 生日 礼物 毕业 朋友 友好 友善 拥抱 欢迎 感谢 谢谢 感激 感恩 希望
    期待 期盼 信心 乐观 健康 康复 痊愈 恢复 好转 获救 得救 脱险 帮助 支持 团聚 团圆 温暖 温馨 关心
    善良 慷慨 幸运 好运 进步 改善 提高 盈利 赚钱 优秀 出色 完美 精彩 美好 美丽 美味 晴朗 好消息
    太好了 很好 不错 真棒 有趣 笑了 微笑
""".split()  # noqa: SIM905

NEGATIVE_CHINESE = """
    难过 伤心 悲伤 悲痛 哭了 哭泣 流泪 眼泪 孤独 寂寞 沮丧 抑郁 绝望 痛苦 不高兴 不开心 不快乐
    不满 不满意 不舒服 生气 愤怒 发火 恼火 讨厌 仇恨 害怕 恐惧 恐慌 惊慌 惊恐 吓坏 担心 担忧 焦虑
    紧张 压力 糟糕 可怕 恶劣 失败 失去 丢失 丢了 损失 错误 失误 麻烦 困难 损坏 破坏 毁坏 摧毁 坏了
    受伤 伤亡 疼痛 生病 疾病 发烧 住院 死亡 去世 遇难 丧生 失业 裁员 解雇 开除 欠债 负债 破产 贫困
    贫穷 饥饿 挨饿 口渴 无家可归 被盗 偷走 抢劫 犯罪 袭击 吵架 争吵 打架 离婚 分手 责备 内疚 羞愧
    失望 后悔 遗憾 疲惫 疲劳 累了 危险 不安全 不安 威胁 灾难 灾害 受灾 飓风 台风 暴风 风暴 暴雨
    洪水 洪灾 地震 海啸 龙卷风 火灾 着火 停电 断水 危机 事故 车祸 撞车 倒塌 坍塌 被困 受困 滞留
    战争 短缺 拒绝 取消 坏消息 太差
""".split()  # noqa: SIM905

URGENT_CHINESE = """
    紧急 急需 急救 急忙 赶紧 赶快 尽快 尽早 立即 立刻 马上 火速 迅速 速来 十万火急 刻不容缓
    迫在眉睫 危急 危险 危在旦夕 警报 预警 警告 警戒 告急 撤离 疏散 撤退 逃生 逃离 逃跑 避难 避险
    救命 救援 求救 求助 抢救 抢险 营救 呼救 被困 受困 失联 登陆 逼近 来袭 救护车 大出血 昏迷 截止
    最后期限 限时 逾期 优先 关键时刻 事不宜迟 务必 强制
""".split()  # noqa: SIM905
